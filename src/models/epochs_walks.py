# SPDX-License-Identifier: Apache-2.0
"""Random walks through systems that are too large for epochs.py: up to eight operations of all kinds, nine ids, faults,
and a copy of the bucket in half of them.

    python3 epochs_walks.py SEED SECONDS [RULE=VALUE...]    such as fence=False, to see that a walk finds it
"""
import random
import sys
import time

from epochs_protocol import Case, Op
from epochs_search import Search

IDS, NAMES = 9, 3
SOURCE = ('create create rename rename rename delete delete undelete push tidy release sweep reap import template fork '
          'look follow listing').split()
COPY = 'rename delete tidy release sweep reap look'.split()


def operation(r, kind, known, fresh, templates):
    """An operation on a random repository among the known ones, or None if it makes no sense."""
    name, repo = r.randrange(NAMES), r.choice(known)
    if kind in ('create', 'import', 'template', 'fork'):
        number = 2 if kind == 'create' else 1
        if len(fresh) < number or kind == 'fork' and not templates:
            return None
        ids = tuple(fresh.pop(0) for _ in range(number))
        known.extend(ids)
        return Op(kind, ids, name, of=0 if kind == 'fork' else None)
    if kind == 'push' and repo in templates:
        return None
    if kind == 'look':
        return Op(kind, (repo,) if fresh and r.random() < .5 else (), name)      # a process knows no id in a copy
    if kind in ('tidy', 'release', 'follow', 'listing'):
        return Op(kind, (), name)
    return Op(kind, (repo,), name, r.randrange(NAMES))


def system(r, rules):
    templates = (0,) if r.random() < .5 else ()
    known, fresh = [0, 1], list(range(2, IDS))
    ops = [operation(r, r.choice(SOURCE), known, fresh, templates) for _ in range(r.randint(4, 8))]
    given = dict(ids=IDS, names=NAMES, start={0: 0, 1: 1}, templates=templates, alone=False,
                 forks={1: 0} if templates and r.random() < .5 else {}, ops=tuple(op for op in ops if op),
                 lost=r.randint(0, 3), copies=r.randint(0, 3), tries=r.choice((2, 4)), table=r.choice((None, None, 2)))
    if given['table']:
        given['copies'] = 0             # A14d is assumed not to happen
    if r.random() < .5:
        repairs = [Op('repair', (i,)) for i in range(IDS)] if r.random() < .7 else []
        used = [operation(r, r.choice(COPY), known, [], templates) for _ in range(r.randint(0, 4))]
        given.update(copied=True, then=tuple(repairs + used))
    return Case(**{**given, **rules})


def walk(r, search):
    """One schedule, in which some processes are much slower than others; the trace if a rule is broken."""
    s, trace, speed = search.initial(), [], [r.random() ** 2 + .01 for _ in range(IDS + 8)]
    for _ in range(150):
        after = list(search.successors(s))
        if not after:
            break
        weights = [speed[int(label.split()[0])] if label[0].isdigit() else .15 for label, _ in after]
        label, s = r.choices(after, weights)[0]
        trace.append(label)
        problem = search.broken(s)
        if problem:
            return len(trace), problem, trace
    problem = search.stuck(search.of(s), s.man, s.ptr)
    return len(trace), problem, trace


def main(seed, seconds, *rules):
    values = {'True': True, 'False': False}
    rules = {k: values.get(v, v) for k, v in (rule.split('=') for rule in rules)}
    end, walks, states = time.time() + float(seconds), 0, 0
    first = seed = int(seed)
    while time.time() < end:
        r = random.Random(seed)
        search = Search(system(r, rules))
        for _ in range(20):
            steps, problem, trace = walk(r, search)
            walks, states = walks + 1, states + steps
            if problem:
                print(f'[FAIL] seed {seed}: {problem}', *trace, sep='\n        ')
                sys.exit(1)
        seed += 1
    print(f'[PASS] {walks} walks with {states} steps, seeds {first} to {seed - 1}')


if __name__ == '__main__':
    main(*sys.argv[1:])
