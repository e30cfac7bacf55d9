# SPDX-License-Identifier: Apache-2.0
"""The protocol of the names rfc as steps, for epochs.py.

Each step is a program that yields one request after the other and is given the answer. It ends with Goto, which goes on
with another step, or Done. Whatever a step has to know later is among the arguments of the next.
"""
from collections import namedtuple

# ---------------------------------------------------------------------------------------------- what is stored

# kind: 'live' | 'dead' (a tombstone) | 'final' (a tombstone whose objects may be deleted)
# name: the name it says, None while it is imported    epoch: how often it was bound, fenced or deleted
# gen: generation    table, pruned: entries of its last writers, generation up to which they were dropped
# lists: ids under which objects are that it lists    template: None | 'making' | 'frozen' | ('of', id) in a fork
Manifest = namedtuple('Manifest', 'kind name epoch gen table pruned lists template')
Pointer = namedtuple('Pointer', 'repo epoch nonce')
Free = namedtuple('Free', 'nonce')

# ------------------------------------------------------------------------------------------- what a step yields

Get = namedtuple('Get', 'kind key')                         # kind: 'manifest' | 'pointer'; answer: the value or None
Put = namedtuple('Put', 'kind key old new effect')          # only in place of old; answer: (made, in doubt)
Send = namedtuple('Send', 'kind key old new effect')        # the same, and the answer is not waited for
Objects = namedtuple('Objects', 'repo there')               # uploads or deletes the objects of a repository
Remove = namedtuple('Remove', 'kind key')                   # DELETE, which no step of the protocol needs
Goto = namedtuple('Goto', 'step args')                      # goes on with another step
Done = namedtuple('Done', 'result')                         # 'OK' | 'refused' | 'unknown' | what a reader has found

Op = namedtuple('Op', 'kind ids name old of', defaults=((), None, None, None))

STEPS = {}


def step(function):
    STEPS[function.__name__] = function
    return function


class Case:
    """One system to search: what is there, what is done, what goes wrong, and which rule is left out."""

    def __init__(self, **given):
        self.ids = 2                    # repositories; one more is kept for the test that who is alone succeeds
        self.names = 2
        self.start = {}                 # id: name that it has at first
        self.templates = ()             # ids of those that are templates at first
        self.forks = {}                 # id: template of those that are forks at first
        self.ops = ()
        self.copied = False             # the bucket is copied while these run
        self.then = ()                  # operations on the copy
        self.lost = 0                   # answers that are lost
        self.copies = 0                 # requests that are copied on the way
        self.tries = 4                  # attempts of a bind
        self.table = None               # entries of a writer table; None: all
        self.alone = True               # test in each state that creations and renames succeed if all others have stopped
        # the rules; another value leaves the rule out
        self.fence = True               # whoever meets a pointer under way raises the epoch of its repository
        self.fence_missing = True       # ... or puts a tombstone where it has no manifest yet
        self.in_epoch = True            # the second write of a bind is made only in the epoch of the first
        self.written_anew = True        # a bind writes a pointer that leads to its own repository already, too
        self.compare = True             # pointers are written only in place of what was read
        self.look = True                # a bind looks at the repository to which a pointer leads
        self.find_own = True            # a refused commit is looked for in the writer table
        self.record_pruned = True       # the table says how far it was pruned
        self.agree = True               # a reader asks the manifest, too
        self.under_way = 'fenced'       # a pointer under way is fenced, and then free | 'taken'
        self.free = 'mark'              # dead pointers are marked free | 'delete'
        self.free_dead = True           # ... and only those
        self.release_fences = True      # a repair fences a bind under way before it marks the name free
        self.delete_raises = True       # a deletion raises the epoch
        self.at_once = False            # both writes of a creation are sent at once
        self.acknowledge = 'manifest'   # ... and it is acknowledged by | 'pointer'
        self.final = True               # before it deletes objects, a sweep commits that the deletion is final
        self.dead_forks = True          # a deleted fork counts as one until its deletion is final
        self.fork_looks = 'after'       # at its template, by id | 'before' | 'never' | 'by name'
        self.unmade_final = True        # ... and if it is gone, the deletion of the fork is final at once
        self.sweep_looks = 'after'      # for forks, after it has read the tombstone | 'before' | 'never'
        self.forks_by = 'id'            # ... in the manifest of each id | 'name': of each name
        self.making = True              # the first manifest of a template says that it is to be one
        self.sweep_nameless = 'commit'  # tombstone by a commit in place of what was read | 'objects' | 'blind'
        self.sweep_unled = False        # repositories to which no pointer leads are swept as well
        self.sweep_live_nameless = False  # a repository without a name is swept as a live one is
        self.follow_by = 'id'           # a follower reads the manifest of each id | 'name': of each name
        self.reread = True              # ... and again what seems to have the name of another
        self.delete_checks = 'always'   # that the repository has the name still | 'once'
        self.unrepaired = False         # demands of a copy what a repair gives, without one
        self.report = True              # a repair reports a name that two repositories say
        self.report_taken = True        # ... and one that another repository has got meanwhile
        self.by_bind = True             # a repair binds | False: writes the pointer blindly
        self.nonce = True               # pointers have a random text, too
        assert given.keys() <= self.__dict__.keys(), given
        self.__dict__.update(given)
        self.given = given
        self.cache, self.solo, self.lone = {}, {}, {}   # what the search has worked out

    def but(self, **given):
        return Case(**{**self.given, **given})

    def repo(self, me, attempt):
        """A creation takes a fresh id for each attempt."""
        ids = self.ops[me].ids
        return ids[min(attempt, len(ids) - 1)]

    def name(self, me, m):
        """The name that an operation binds; a repair binds the one that the manifest says."""
        return m.name if self.ops[me].kind == 'repair' else self.ops[me].name


# ------------------------------------------------------------------------------------ the steps of the protocol

def sealed(case, old, new, me):
    """The bytes of a commit: the next generation, and an entry of its writer."""
    gen = old.gen + 1 if old else 1
    table = (old.table if old else ()) + ((me, gen),)
    pruned = old.pruned if old else 0
    if case.table is not None and len(table) > case.table:
        if case.record_pruned:
            pruned = table[-case.table - 1][1]
        table = table[-case.table:]
    return new._replace(gen=gen, table=table, pruned=pruned)


def write(case, me, repo, old, new, effect=None):
    """One attempt of the commit loop: 'made', 'lost' or 'unknown', and the newest manifest."""
    new = sealed(case, old, new, me)
    made, doubt = yield Put('manifest', repo, old, new, effect)
    if made:
        return 'made', new
    now = yield Get('manifest', repo)
    if now is not None and case.find_own and (me, new.gen) in now.table:
        return 'made', now
    if now is None or doubt and now.pruned >= new.gen:
        return 'unknown', now
    return 'lost', now


def blank(kind, name=None, epoch=0, lists=(), template=None):
    return Manifest(kind, name, epoch, 0, (), 0, lists, template)


def deleted(case, m, kind='dead'):
    return m._replace(kind=kind, name=None, epoch=m.epoch + (1 if case.delete_raises else 0))


@step
def begin(case, me):
    op = case.ops[me]
    if op.kind in ('create', 'fork'):
        if op.kind == 'fork':
            template = yield Get('manifest', op.of)
            if template is None or template.kind != 'live' or template.template != 'frozen':
                yield Done('refused')
            if case.fork_looks == 'before':
                template = yield Get('manifest', op.of)
                if template.kind != 'live':
                    yield Done('refused')
        if case.at_once:
            yield Goto('together', (me,))
        yield Goto('take', (me, 0, None))
    elif op.kind in ('import', 'template'):
        yield Goto('nameless', (me,))
    elif op.kind in ('rename', 'undelete'):
        yield Goto('bind', (me, 0))
    else:
        yield Goto(op.kind, (me,))


@step
def nameless(case, me):
    """An import makes a repository without a name, fills it, and binds it when it is whole."""
    op, repo = case.ops[me], case.ops[me].ids[0]
    making = 'making' if op.kind == 'template' and case.making else None
    state, m = yield from write(case, me, repo, None, blank('live', template=making))
    if m is None or m.kind != 'live':
        yield Done('refused')
    yield Goto('fill', (me, m))


@step
def fill(case, me, m):
    op, repo = case.ops[me], case.ops[me].ids[0]
    yield Objects(repo, True)
    state, now = yield from write(case, me, repo, m, m._replace(lists=(repo,)))
    if state != 'made' or now.kind != 'live':
        yield Done('refused' if state != 'unknown' else 'unknown')
    if op.kind == 'template':
        yield Goto('freeze', (me, now))
    yield Goto('bind', (me, 0))


@step
def freeze(case, me, m):
    """A template is written only in place of what its maker has left there."""
    state, now = yield from write(case, me, case.ops[me].ids[0], m, m._replace(template='frozen'))
    if state != 'made':
        yield Done('refused' if state != 'unknown' else 'unknown')
    yield Goto('bind', (me, 0))


@step
def bind(case, me, attempt):
    """Bind, 0: what is to be bound. A creation begins with step 1, for its id is fresh."""
    op = case.ops[me]
    m = yield Get('manifest', op.ids[0])
    fits = m is not None and {
        'rename': m.kind == 'live' and m.name == op.old,
        'repair': m.kind == 'live' and m.name is not None,
        'import': m.kind == 'live' and m.name is None,
        'template': m.kind == 'live' and m.name is None,
        'undelete': m.kind == 'dead'}[op.kind]
    if not fits:
        yield Done('end' if op.kind == 'repair' else 'refused')
    yield Goto('take', (me, attempt, m))


@step
def take(case, me, attempt, m):
    """Bind, 1: the pointer of the name, if it may be taken."""
    p = yield Get('pointer', case.name(me, m))
    if isinstance(p, Pointer) and p.repo != case.repo(me, attempt) and case.look:
        yield Goto('judge', (me, attempt, m, p))
    if isinstance(p, Pointer) and p.repo == case.repo(me, attempt) and not case.written_anew:
        yield Goto('confirm', (me, attempt, m))
    yield Goto('claim', (me, attempt, m, p))


@step
def judge(case, me, attempt, m, p):
    """Bind, 1a: a pointer leads to another repository: taken, dead, or under way and then fenced."""
    x = yield Get('manifest', p.repo)
    if x is None:
        if not case.fence_missing:
            yield Goto('claim', (me, attempt, m, p))
        yield Put('manifest', p.repo, None, sealed(case, None, blank('final', epoch=p.epoch + 1), me), None)
    elif x.kind == 'live' and x.name == case.name(me, m):
        yield Goto('taken', (me, attempt))
    elif x.epoch > p.epoch or not case.fence or (not case.delete_raises and x.kind != 'live'):
        yield Goto('claim', (me, attempt, m, p))
    elif case.under_way == 'taken':
        yield Goto('taken', (me, attempt))
    else:
        yield Put('manifest', p.repo, x, sealed(case, x, x._replace(epoch=p.epoch + 1), me), None)
    yield Goto('judge', (me, attempt, m, p))


@step
def claim(case, me, attempt, m, p):
    """Bind, 1b: in place of what was read, never of anything else."""
    mine = Pointer(case.repo(me, attempt), m.epoch if m else 0, (me, attempt) if case.nonce else 0)
    made, doubt = yield Put('pointer', case.name(me, m), p, mine, None)
    if not made:
        now = yield Get('pointer', case.name(me, m))
        if now != mine:
            yield Goto('again', (me, attempt))
    if case.at_once and case.ops[me].kind == 'create':
        yield Goto('wait', (me,))
    yield Goto('confirm', (me, attempt, m))


@step
def confirm(case, me, attempt, m):
    """Bind, 2, the commit point: the manifest says the name, in the very epoch in which the pointer was read."""
    op, repo, epoch = case.ops[me], case.repo(me, attempt), m.epoch if m else 0
    if op.kind == 'create':
        new = blank('live', op.name, 1)
    elif op.kind == 'fork':
        new = blank('live', op.name, 1, (op.of,), ('of', op.of))
    else:
        new = m._replace(kind='live', name=case.name(me, m), epoch=epoch + 1)
    state, now = yield from write(case, me, repo, m, new, me)
    if m is None and now is not None:           # no other process creates a repository under this id
        created = now.kind == 'live' or now.gen > 1
        if not created and state != 'made':
            yield Goto('again', (me, attempt))  # it was fenced
        yield Goto('bound', (me, repo, now)) if now.kind == 'live' else Done('OK')
    if state == 'made':
        yield Goto('bound', (me, repo, now))
    if state == 'unknown':
        yield Done('unknown')
    if not case.in_epoch and now.kind == 'live' or now.epoch == epoch and now.kind == m.kind:
        yield Goto('confirm', (me, attempt, now))   # others have written, and the pointer still stands
    yield Goto('again', (me, attempt))


@step
def bound(case, me, repo, m):
    """Bind, 3: a fork looks at its template once more, by id, and is acknowledged only if that is there."""
    op = case.ops[me]
    if op.kind != 'fork' or case.fork_looks in ('never', 'before'):
        yield Done('OK')
    if case.fork_looks == 'by name':
        p = yield Get('pointer', op.old)
        x = (yield Get('manifest', p.repo)) if isinstance(p, Pointer) else None
        x = x if x is not None and x.name == op.old else None
    else:
        x = yield Get('manifest', m.template[1])
    if x is not None and x.kind == 'live' and x.template == 'frozen':
        yield Done('OK')
    yield Goto('unmake', (me, repo, m))


@step
def unmake(case, me, repo, m):
    """Deletes a fork for good whose template was deleted before; if others have changed the fork, nothing is known."""
    state, now = yield from write(case, me, repo, m, deleted(case, m, 'final' if case.unmade_final else 'dead'))
    yield Done('refused' if state == 'made' or now is not None and now.kind != 'live' else 'unknown')


@step
def again(case, me, attempt):
    """A bind that was overtaken begins anew; a creation with a fresh id."""
    op = case.ops[me]
    if attempt + 1 >= case.tries or (op.kind in ('create', 'fork') and attempt + 1 >= len(op.ids)):
        yield Goto('taken', (me, attempt))
    if op.kind in ('create', 'fork'):
        yield Goto('take', (me, attempt + 1, None))
    yield Goto('bind', (me, attempt + 1))


@step
def taken(case, me, attempt):
    """The name is that of another repository, or others were faster each time: nothing was changed."""
    op = case.ops[me]
    if op.kind == 'repair':
        yield Done('reported' if case.report_taken else 'end')
    if op.kind in ('import', 'template') or case.at_once and op.kind == 'create':
        yield Goto('drop', (me,))
    yield Done('refused')


@step
def drop(case, me):
    """Deletes the own repository, which has not got its name."""
    repo = case.ops[me].ids[0]
    m = yield Get('manifest', repo)
    if m is None:
        yield Put('manifest', repo, None, sealed(case, None, blank('final', epoch=9), me), None)
        yield Goto('drop', (me,))
    if m.kind == 'live' and (m.name is None or case.at_once):
        yield Put('manifest', repo, m, sealed(case, m, deleted(case, m), me), None)
        yield Goto('drop', (me,))
    yield Done('refused')


# ----- creation in one round trip: both writes are sent at once

@step
def together(case, me):
    op = case.ops[me]
    yield Send('manifest', op.ids[0], None, sealed(case, None, blank('live', op.name, 1), me), me)
    yield Goto('take', (me, 0, None))


@step
def wait(case, me):
    op = case.ops[me]
    if case.acknowledge == 'pointer':
        yield Done('OK')
    yield Put('manifest', op.ids[0], None, sealed(case, None, blank('live', op.name, 1), me), me)
    m = yield Get('manifest', op.ids[0])
    yield Done('OK' if m.kind == 'live' or m.gen > 1 else 'refused')


# ----- the other commits

@step
def push(case, me):
    m = yield Get('manifest', case.ops[me].ids[0])
    if m is None or m.kind != 'live':
        yield Done('refused')
    yield Goto('pushes', (me, m))


@step
def pushes(case, me, m):
    state, now = yield from write(case, me, case.ops[me].ids[0], m, m, me)
    if state == 'made':
        yield Done('OK')
    if state == 'unknown':
        yield Done('unknown')
    if now.kind != 'live':
        yield Done('refused')
    yield Goto('pushes', (me, now))


@step
def delete(case, me):
    """One commit, of the repository that the name stands for. The pointer is dead by that."""
    op = case.ops[me]
    m = yield Get('manifest', op.ids[0])
    if m is None or m.kind != 'live' or m.name != op.name:
        yield Done('refused')
    yield Goto('deletes', (me, m))


@step
def deletes(case, me, m):
    op = case.ops[me]
    state, now = yield from write(case, me, op.ids[0], m, deleted(case, m), me)
    if state == 'made':
        yield Done('OK')
    if state == 'unknown':
        yield Done('unknown')
    if now.kind != 'live' or now.name != op.name and case.delete_checks == 'always':
        yield Done('refused')
    yield Goto('deletes', (me, now))


@step
def tidy(case, me):
    """Marks a dead pointer free. Any process may, at any time, or none."""
    name = case.ops[me].name
    p = yield Get('pointer', name)
    if not isinstance(p, Pointer):
        yield Done('end')
    x = yield Get('manifest', p.repo)
    if x is None or x.epoch <= p.epoch and case.free_dead or x.kind == 'live' and x.name == name:
        yield Done('end')
    if case.free == 'delete':
        yield Remove('pointer', name)
    else:
        yield Put('pointer', name, p, Free(me), None)
    yield Done('end')


@step
def release(case, me):
    """Marks a name free that no repository says, as a repair of names does; a bind under way is fenced first."""
    name = case.ops[me].name
    p = yield Get('pointer', name)
    if not isinstance(p, Pointer):
        yield Done('end')
    yield Goto('released', (me, p))


@step
def released(case, me, p):
    name = case.ops[me].name
    x = yield Get('manifest', p.repo)
    if x is not None and x.kind == 'live' and x.name == name:
        yield Done('end')
    if x is not None and x.epoch > p.epoch or not case.release_fences:
        yield Put('pointer', name, p, Free(me), None)
        yield Done('end')
    next_ = x._replace(epoch=p.epoch + 1) if x is not None else blank('final', epoch=p.epoch + 1)
    yield Put('manifest', p.repo, x, sealed(case, x, next_, me), None)
    yield Goto('released', (me, p))


# ----- sweeps

@step
def sweep(case, me):
    """Deletes the objects of a deleted repository; of a template only if it has no fork."""
    repo = case.ops[me].ids[0]
    if case.sweep_looks == 'before':
        yield Goto('search', (me, None, repo, 0))
    m = yield Get('manifest', repo)
    if m is None or m.kind == 'live' or m.gen == 1:     # a fence has put it there: nothing was made, or its manifest was lost
        yield Done('end')
    yield Goto('swept', (me, m, repo))


@step
def swept(case, me, m, repo):
    if m.kind == 'dead' and m.template in ('making', 'frozen') and case.sweep_looks == 'after':
        yield Goto('search', (me, m, repo, 0))
    yield Goto('erase', (me, m, repo))


@step
def search(case, me, m, repo, i):
    """Looks for a fork in the manifest of every id; a deleted one counts until its deletion is final."""
    number = case.ids if case.forks_by == 'id' else case.names
    if i == number:
        if m is None:
            m = yield Get('manifest', repo)
            if m is None or m.kind == 'live':
                yield Done('end')
        yield Goto('erase', (me, m, repo))
    if case.forks_by == 'name':
        p = yield Get('pointer', i)
        x = (yield Get('manifest', p.repo)) if isinstance(p, Pointer) else None
        x = x if x is not None and x.name == i else None
    else:
        x = yield Get('manifest', i)
    kinds = ('live', 'dead') if case.dead_forks else ('live',)
    if x is not None and x.kind in kinds and x.template == ('of', repo):
        yield Done('spared')
    yield Goto('search', (me, m, repo, i + 1))


@step
def erase(case, me, m, repo):
    if case.final and m.kind == 'dead':
        state, now = yield from write(case, me, repo, m, m._replace(kind='final'))
        if state != 'made':
            yield Done('end')
    yield Objects(repo, False)
    yield Done('end')


@step
def reap(case, me):
    """Deletes a repository that has no name, as an import leaves it that was killed, and sweeps it."""
    repo = case.ops[me].ids[0]
    m = yield Get('manifest', repo)
    orphan = False
    if case.sweep_unled and m is not None and m.kind == 'live' and m.name is not None:
        p = yield Get('pointer', m.name)
        orphan = not isinstance(p, Pointer) or p.repo != repo
    if m is None or m.kind != 'live' or m.name is not None and not orphan:
        yield Done('end')
    if case.sweep_live_nameless:                # it deletes what the manifest does not list
        if repo not in m.lists:
            yield Objects(repo, False)
        yield Done('end')
    if case.sweep_nameless == 'objects':
        yield Objects(repo, False)
        yield Done('end')
    state, now = yield from write(case, me, repo, m, deleted(case, m))
    if case.sweep_nameless == 'blind' and state != 'made':
        yield Objects(repo, False)
    if state != 'made' or now.kind == 'live':
        yield Done('end')
    yield Goto('swept', (me, now, repo))


@step
def remove(case, me):
    """Removes a tombstone (op.old: only if no pointer leads to its id). Not part of the protocol."""
    op = case.ops[me]
    m = yield Get('manifest', op.ids[0])
    if m is None or m.kind == 'live':
        yield Done('end')
    if op.old == 'unled':
        for name in range(case.names):
            p = yield Get('pointer', name)
            if isinstance(p, Pointer) and p.repo == op.ids[0]:
                yield Done('end')
    yield Remove('manifest', op.ids[0])
    yield Done('end')


# ----- readers

@step
def look(case, me):
    """Cold look-up: the pointer, then the manifest. op.ids: the repository that this process knows by the name."""
    op = case.ops[me]
    if op.ids:
        m = yield Get('manifest', op.ids[0])
        if m is not None and m.kind == 'live' and m.name == op.name:
            yield Done(('is', op.ids[0]))
    p = yield Get('pointer', op.name)
    if not isinstance(p, Pointer):
        yield Done(('is', None))
    if not case.agree:
        yield Done(('is', p.repo))
    m = yield Get('manifest', p.repo)
    yield Done(('is', p.repo if m is not None and m.kind == 'live' and m.name == op.name else None))


@step
def listing(case, me):
    """Names by the listing of the pointers, each of which is seen at a moment of its own."""
    found = []
    for name in range(case.names):
        p = yield Get('pointer', name)
        if isinstance(p, Pointer):
            found.append(name)
    yield Done(('lists', tuple(found)))


@step
def follow(case, me):
    """A poll reads each manifest. Of two that say one name, the one that was read first has left it, and is read again."""
    if case.follow_by == 'name':
        view = [None] * case.ids
        for name in range(case.names):
            p = yield Get('pointer', name)
            m = (yield Get('manifest', p.repo)) if isinstance(p, Pointer) else None
            if m is not None and m.kind == 'live' and m.name == name:
                view[p.repo] = name
        yield Done(('view', tuple(view)))
    names, order, todo = {}, [], list(range(case.ids))
    while todo:
        i = todo.pop(0)
        m = yield Get('manifest', i)
        names[i] = m.name if m is not None and m.kind == 'live' else None
        order = [j for j in order if j != i] + [i]
        if case.reread:
            todo += [j for j in order[:-1] if names[j] is not None and names[j] == names[i] and j not in todo]
    yield Done(('view', tuple(names[i] for i in range(case.ids))))


# ----- repair of a copy: verify --names --repair

@step
def repair(case, me):
    """Binds a repository again to the name that its manifest says, unless another repository says it, too."""
    op = case.ops[me]
    m = yield Get('manifest', op.ids[0])
    if m is None or m.kind != 'live' or m.name is None:
        yield Done('end')
    for i in range(case.ids):
        x = (yield Get('manifest', i)) if i != op.ids[0] and case.report else None
        if x is not None and x.kind == 'live' and x.name == m.name:
            yield Done('reported')
    p = yield Get('pointer', m.name)
    if isinstance(p, Pointer) and p.repo == op.ids[0]:
        yield Done('end')
    if not case.by_bind:
        made, doubt = yield Put('pointer', m.name, p, Pointer(op.ids[0], m.epoch - 1, (me, 0)), None)
        yield Done('end') if made else Goto('repair', (me,))
    yield Goto('bind', (me, 0))
