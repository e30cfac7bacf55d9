# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of epochs_protocol.py in every order of their requests, and checks the rules in each state.

What can happen at each request:
- A process stops before or after it. No step is needed for that: the rules hold in every state, so also in those in which
  a process does nothing any more. An operation that is repeated is an operation of its own.
- No answer comes (`lost`). The same bytes are sent again with the same precondition. The first copy arrives at any later
  time, or never.
- It is copied on the way (`copies`), and the process does not know. The copy arrives at any later time, or never.
"""
from collections import namedtuple

from epochs_protocol import STEPS, Case, Done, Free, Get, Goto, Manifest, Objects, Op, Pointer, Put, Remove, Send

# net: requests on the way that no process waits for    born: ids that had a name    gone: those that were deleted
# eff: operations whose commit was applied    seen: for each reader, what was true since it began
# copy: None | ('copying', manifests, pointers, ids that have had a name since it began) | ('copied', ids to keep, ids known)
State = namedtuple('State', 'man ptr obj net procs born gone eff lost copies seen copy')
Process = namedtuple('Process', 'step args answers doubt')
NAMES = 'abcd'
UNCOPIED = '-'


def put(values, i, value):
    return values[:i] + (value,) + values[i + 1:]


def leads(man, ptr, name):
    """The repository that a name stands for: pointer and manifest agree."""
    p = ptr[name]
    if not isinstance(p, Pointer):
        return None
    m = man[p.repo]
    return p.repo if m is not None and m.kind == 'live' and m.name == name else None


def shown(value):
    if isinstance(value, Pointer):
        return f'-> {value.repo} in epoch {value.epoch}'
    if isinstance(value, Free):
        return 'free'
    if isinstance(value, Manifest):
        name = 'no name' if value.name is None else NAMES[value.name]
        what = {'live': name, 'dead': 'deleted', 'final': 'deleted for good'}[value.kind]
        more = f', {value.template}' if isinstance(value.template, str) else ''
        return f'{what}, epoch {value.epoch}{more}'
    return 'nothing'


def place(kind, key):
    return f'pointer {NAMES[key]}' if kind == 'pointer' else f'manifest {key}'


class Search:
    def __init__(self, case):
        self.case = case
        self.second = None
        if case.then or case.copied:
            self.second = case.but(ops=case.then, then=(), copied=False)
        self.ends = set()               # results of all operations where all have ended
        self.removes = any(op.kind == 'remove' for op in case.ops) or case.free == 'delete'

    def of(self, s):
        return self.second if s.copy and s.copy[0] == 'copied' else self.case

    def pending(self, case, p):
        key = (p.step, p.args, p.answers)
        request = case.cache.get(key)
        if request is None:
            program = STEPS[p.step](case, *p.args)
            request = next(program)
            for answer in p.answers:
                request = program.send(answer)
            case.cache[key] = request
        return request

    def settled(self, case, p):
        """Goes on until the next request."""
        while True:
            request = self.pending(case, p)
            if isinstance(request, Goto):
                p = Process(request.step, request.args, (), False)
            elif isinstance(request, Done):
                return Process(None, request.result, (), False)
            else:
                return p

    def answered(self, case, p, answer):
        return self.settled(case, Process(p.step, p.args, p.answers + (answer,), False))

    def started(self, case):
        return tuple(self.settled(case, Process('begin', (me,), (), False)) for me in range(len(case.ops)))

    def initial(self):
        case = self.case
        man, ptr, obj = [None] * (case.ids + 1), [None] * case.names, set()
        for i, name in case.start.items():
            of = case.forks.get(i)
            template = 'frozen' if i in case.templates else ('of', of) if of is not None else None
            man[i] = Manifest('live', name, 1, 1, (), 0, (i,) if of is None else (of,), template)
            ptr[name] = Pointer(i, 0, ('start', i) if case.nonce else 0)
            obj.add(i)
        s = State(tuple(man), tuple(ptr), frozenset(obj), frozenset(), self.started(case), frozenset(), frozenset(),
                  frozenset(), case.lost, case.copies, (None,) * len(case.ops),
                  ('copying', (UNCOPIED,) * case.ids, (UNCOPIED,) * case.names, frozenset(case.start)) if case.copied else None)
        return self.noted(case, s)

    def noted(self, case, s):
        """Notes what the rules compare with, and forgets copies of requests that can not be applied any more."""
        born, gone = s.born, s.gone
        for p in s.ptr:
            if isinstance(p, Pointer) and p.repo not in born:
                m = s.man[p.repo]
                if m is not None and m.kind == 'live' and m.name is not None and leads(s.man, s.ptr, m.name) == p.repo:
                    born = born | {p.repo}
        for i in born:
            if i not in gone and s.man[i] is not None and s.man[i].kind != 'live':
                gone = gone | {i}
        net = s.net
        if net and case.compare and case.nonce and not self.removes:
            net = frozenset(r for r in net if r.old == (s.man if r.kind == 'manifest' else s.ptr)[r.key])
        if born is not s.born or gone is not s.gone or len(net) != len(s.net):
            s = s._replace(born=born, gone=gone, net=net)
        if s.copy and s.copy[0] == 'copying' and s.copy[3] & gone:      # also if it is undeleted later
            s = s._replace(copy=s.copy[:3] + (s.copy[3] - gone,))
        for me, op in enumerate(case.ops):
            if s.seen[me] is not None and s.procs[me].step is not None:
                s = s._replace(seen=put(s.seen, me, self.witness(case, s, op, s.seen[me])))
        return s

    def witness(self, case, s, op, before):
        if op.kind == 'look':
            return (before or frozenset()) | {leads(s.man, s.ptr, op.name)}
        if op.kind == 'follow':
            now = frozenset(i for i in s.born if i not in s.gone)
            return now if before is None else before & now
        now = frozenset(n for n in range(case.names) if leads(s.man, s.ptr, n) is not None)
        return now if before is None else before & now

    def applied(self, case, s, request):
        """The state after a conditional write has arrived; None if it is refused."""
        values = s.man if request.kind == 'manifest' else s.ptr
        if values[request.key] != request.old and (case.compare or request.kind == 'manifest'):
            return None
        if request.kind == 'manifest':
            s = s._replace(man=put(s.man, request.key, request.new))
        else:
            s = s._replace(ptr=put(s.ptr, request.key, request.new))
        if request.effect is not None:
            op = case.ops[request.effect]
            other = op.kind == 'delete' and request.old.name != op.name
            s = s._replace(eff=s.eff | ({request.effect, 'other'} if other else {request.effect}))
            if op.kind == 'undelete':
                s = s._replace(gone=s.gone - {request.key})
        return s

    def successors(self, s):
        case = self.of(s)
        for label, t in self.steps(case, s):
            yield label, self.noted(case, t)
        if s.copy and s.copy[0] == 'copying':
            yield from self.copying(s)

    def steps(self, case, s):
        for me, p in enumerate(s.procs):
            if p.step is None:
                continue
            request, who = self.pending(case, p), f'{me} {case.ops[me].kind}: '
            if case.ops[me].kind in ('look', 'listing', 'follow') and s.seen[me] is None:
                s_ = s._replace(seen=put(s.seen, me, self.witness(case, s, case.ops[me], None)))
            else:
                s_ = s

            def goes(label, answer, t):
                return who + label, t._replace(procs=put(t.procs, me, self.answered(case, p, answer)))

            if isinstance(request, Get):
                value = (s.man if request.kind == 'manifest' else s.ptr)[request.key]
                yield goes(f'reads {place(request.kind, request.key)}: {shown(value)}', value, s_)
            elif isinstance(request, Objects):
                obj = s.obj | {request.repo} if request.there else s.obj - {request.repo}
                yield goes(('uploads' if request.there else 'DELETES') + f' the objects of {request.repo}', None, s_._replace(obj=obj))
            elif isinstance(request, Remove):
                t = s_._replace(man=put(s.man, request.key, None)) if request.kind == 'manifest' else s_._replace(ptr=put(s.ptr, request.key, None))
                yield goes(f'DELETE of {place(request.kind, request.key)}', None, t)
            elif isinstance(request, Send):
                sent = Put(*request)
                yield goes(f'sends {place(sent.kind, sent.key)} = {shown(sent.new)}, does not wait', None, s_._replace(net=s.net | {sent}))
            else:
                what = f'{place(request.kind, request.key)} = {shown(request.new)}'
                t = self.applied(case, s_, request)
                yield goes(f'writes {what}' if t else f'is refused {what}', (t is not None, p.doubt), t or s_)
                if s.lost:
                    yield who + f'no answer to {what}; it is under way, and sent again', s_._replace(
                        net=s.net | {request}, lost=s.lost - 1, procs=put(s.procs, me, p._replace(doubt=True)))
                if s.copies and request not in s.net and t:
                    yield who + f'a copy of {what} is on the way', s_._replace(net=s.net | {request}, copies=s.copies - 1)
        for request in s.net:
            t = self.applied(case, s, request)
            if t:
                yield f'store: a copy arrives: {place(request.kind, request.key)} = {shown(request.new)}', t._replace(net=s.net - {request})

    def copying(self, s):
        _, man, ptr, there = s.copy
        for i in range(self.case.ids):
            if man[i] == UNCOPIED:
                yield f'copy of manifest {i}: {shown(s.man[i])}', self.copied(s, put(man, i, s.man[i]), ptr, there)
        for i in range(self.case.names):
            if ptr[i] == UNCOPIED:
                yield f'copy of pointer {NAMES[i]}: {shown(s.ptr[i])}', self.copied(s, man, put(ptr, i, s.ptr[i]), there)

    def copied(self, s, man, ptr, there):
        if UNCOPIED in man or UNCOPIED in ptr:
            return s._replace(copy=('copying', man, ptr, there))
        case = self.second
        keep = there - s.gone
        objects = s.obj | frozenset(i for i in range(case.ids))     # objects are copied after the manifests
        procs = self.started(case)
        return self.noted(case, State(man + (None,), ptr, objects, frozenset(), procs, frozenset(), frozenset(), frozenset(),
                                      case.lost, case.copies, (None,) * len(procs), ('copied', keep, s.born)))

    # ----- the rules

    def broken(self, s):
        case = self.of(s)
        if 'other' in s.eff:
            return 'a repository was deleted by a name that it had no more'
        copied = s.copy and s.copy[0] == 'copied'
        says = {}
        for i in s.born:
            m = s.man[i]
            if i in s.gone:
                if m is not None and m.kind == 'live' and m.name is not None and leads(s.man, s.ptr, m.name) == i:
                    return f'repository {i}, which was deleted, is back'
                continue
            if m is None or m.kind != 'live' or m.name is None:
                return f'repository {i} is gone without a deletion'
            if leads(s.man, s.ptr, m.name) != i:
                return f'repository {i} says {NAMES[m.name]}, and the pointer leads elsewhere'
            if m.name in says:
                return f'repositories {says[m.name]} and {i} say {NAMES[m.name]}'
            says[m.name] = i
            if not set(m.lists) <= s.obj and self.acknowledged(case, s, i):
                return f'repository {i} lists deleted objects'
        for me, op in enumerate(case.ops):
            if s.procs[me].step is None:
                problem = self.untrue(case, s, me, op, s.procs[me].args)
                if problem:
                    return f'{me} {op.kind} {problem}'
        if all(p.step is None for p in s.procs) and (copied or not self.second):
            self.ends.add(tuple(self.short(p.args) for p in s.procs))
        if copied:
            problem = self.lost(case, s)
            if problem:
                return problem
        if case.alone:
            return self.stuck(case, s.man, s.ptr)

    @staticmethod
    def short(result):
        return result if isinstance(result, str) else str(result[1])

    def acknowledged(self, case, s, i):
        """False for a fork whose maker has not looked at its template."""
        makers = [me for me, op in enumerate(case.ops) if op.kind == 'fork' and i in op.ids]
        return not makers or any(s.procs[me].step is None and s.procs[me].args == 'OK' for me in makers)

    def untrue(self, case, s, me, op, result):
        if result == 'refused' and me in s.eff:
            undone = op.kind == 'fork' or case.at_once and op.kind == 'create'
            if not undone or any(s.man[i] and s.man[i].kind == 'live' for i in op.ids):
                return 'was refused, and has had an effect'
        if result == 'OK' and op.kind in ('create', 'fork', 'import', 'template') and not s.born & set(op.ids):
            return 'was acknowledged, and never visible'
        if result == 'OK' and op.kind != 'repair' and me not in s.eff:
            return 'was acknowledged, and not made'
        if isinstance(result, tuple) and result[0] == 'is' and result[1] not in s.seen[me]:
            return f'answers {result[1]}, which was so at no time since it began'
        if isinstance(result, tuple) and result[0] == 'lists' and not s.seen[me] <= set(result[1]):
            return 'has missed a name that stood for a repository all the time'
        if isinstance(result, tuple) and result[0] == 'view':
            names = [n for n in result[1] if n is not None]
            if len(set(names)) < len(names):
                return f'sees two repositories under one name: {result[1]}'
            if any(result[1][i] is None for i in s.seen[me]):
                return f'has missed a repository that was there all the time: {result[1]}'

    def lost(self, case, s):
        """Of a copy: nothing is lost or made up, and after a repair each repository is reachable or reported."""
        _, keep, known = s.copy
        ended = {op.ids[0]: s.procs[me].args if s.procs[me].step is None else None
                 for me, op in enumerate(case.ops) if op.kind == 'repair'}
        made = {i for op in case.ops if op.kind in ('create', 'fork', 'import', 'template', 'undelete') for i in op.ids}
        dropped = {op.ids[0] for me, op in enumerate(case.ops) if op.kind == 'delete' and me in s.eff}
        for name in range(case.names):
            i = leads(s.man, s.ptr, name)
            if i is not None and i not in known and i not in made:
                return f'repository {i}, which never had a name, has the name {NAMES[name]} in the copy'
        for i in keep - dropped:
            m = s.man[i]
            if m is None or m.kind != 'live':
                return f'repository {i} is lost in the copy'
            if not set(m.lists) <= s.obj:
                return f'repository {i} lists deleted objects in the copy'
            if ended.get(i) == 'OK' and any(s.man[j] and s.man[j].kind == 'live' and s.man[j].name == m.name for j in keep - {i}):
                return f'the repair has given {NAMES[m.name]} to repository {i}, though another one says it, too'
            if case.unrepaired or ended and all(v is not None for v in ended.values()) and ended.get(i) != 'reported':
                if leads(s.man, s.ptr, m.name) != i:
                    return f'no name leads to repository {i} in the copy, and no report tells'
        for i in s.born - s.gone - keep:
            if s.man[i] is not None and s.man[i].kind == 'live' and not set(s.man[i].lists) <= s.obj and self.acknowledged(case, s, i):
                return f'repository {i} lists deleted objects in the copy'

    def stuck(self, case, man, ptr):
        """Whoever is alone creates a repository under each free name, and renames each to each free name."""
        key = (man, ptr)
        if key in case.solo:
            return case.solo[key]
        case.solo[key] = None
        free = [n for n in range(case.names) if leads(man, ptr, n) is None]
        for name in range(case.names):
            problem = self.tried(case, man, ptr, Op('create', (case.ids,), name), name in free)
            if problem:
                case.solo[key] = problem
                return problem
        for i in range(case.ids):
            m = man[i]
            if m is not None and m.kind == 'live' and m.name is not None and leads(man, ptr, m.name) == i and free:
                problem = self.tried(case, man, ptr, Op('rename', (i,), free[0], m.name), True)
                if problem:
                    case.solo[key] = problem
                    return problem

    def tried(self, case, man, ptr, op, succeeds):
        alone = case.lone.get(op)
        if alone is None:
            alone = case.lone[op] = case.but(ops=(op,))
        p, obj = self.started(alone)[0], frozenset()
        s = State(man, ptr, obj, frozenset(), (p,), frozenset(), frozenset(), frozenset(), 0, 0, (None,), None)
        for _ in range(60):
            if s.procs[0].step is None:
                break
            t = next(iter(self.steps(alone, s)), None)
            s = t[1]._replace(net=frozenset())
        result = s.procs[0].args if s.procs[0].step is None else 'no end'
        if result != ('OK' if succeeds else 'refused') or succeeds and leads(s.man, s.ptr, op.name) != op.ids[0]:
            return f'alone, a {op.kind} to {NAMES[op.name]} ends with {result}'
