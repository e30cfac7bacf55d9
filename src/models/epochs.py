# SPDX-License-Identifier: Apache-2.0
"""Names by epochs: the manifest of a repository is under its id and says its name; a pointer under the name says the id.

The names rfc describes the protocol, epochs_protocol.py has its steps, epochs_search.py the search and the rules.

    python3 epochs.py              all cases
    python3 epochs.py E-m1 E-p3*   some cases
"""
import sys

from bfs import bfs, report
from epochs_protocol import Case, Op
from epochs_search import NAMES, Search

def create(name, *ids):
    return Op('create', ids, name)


def rename(repo, old, name):
    return Op('rename', (repo,), name, old)


def delete_(repo, name):
    return Op('delete', (repo,), name)


def fork(template, name, *ids, called=None):
    return Op('fork', ids, name, called, template)


def one(kind, repo, name=None, old=None):
    return Op(kind, (repo,), name, old)


UNEXPECTED = []


def leaves(op, name):
    return op.kind == 'rename' and op.old == name or op.kind == 'delete' and op.name == name


def given(case):
    """What there is at first, and what is done: for the tests that take a trace to the code."""
    what = lambda i: ' template' if i in case.templates else f' fork {case.forks[i]}' if i in case.forks else ''
    lines = [f'{i} {NAMES[name]}{what(i)}' for i, name in case.start.items()] + ([f'table of {case.table}'] if case.table else [])
    for me, op in enumerate(case.ops):
        names = [NAMES[name] for name in (op.old, op.name) if isinstance(name, int)]
        ids = [str(i) for i in op.ids[:1]]
        if op.kind == 'fork':
            ids, names = [str(op.of)] + ids, [NAMES[op.name]]
        if op.kind == 'tidy':       # the code does it at the end of the operation by which the name was left
            ids = ['of ' + str(i) for i in range(me) if leaves(case.ops[i], op.name)][:1]
        lines.append(' '.join([f'{me}:', op.kind] + ids + names))
    return 'with ' + ', '.join(lines)


def run(name, expected, limit=600, **parts):
    chosen = sys.argv[1:]
    if chosen and not any(name.split()[0] == a or a.endswith('*') and name.startswith(a[:-1]) for a in chosen):
        return
    case = Case(**parts)
    search = Search(case)
    result = bfs(search.initial(), search.successors, search.broken, tmax=limit)
    report(name, result, given(case))
    if result['ok']:
        ends = sorted(' '.join(end) for end in search.ends)
        print(f'        {len(ends)} outcomes: ' + ' | '.join(ends[:12]) + (' | ...' if len(ends) > 12 else ''))
    if result['ok'] is (expected == 'fails') or result['ok'] is None and expected == 'fails':
        UNEXPECTED.append(name)
        print('    *** UNEXPECTED')


a, b, c, d = range(4)


def rules_left_out():
    two = dict(start={0: a, 1: b}, ids=2, names=3, ops=(rename(0, a, c), rename(1, b, c)))
    taking = dict(start={0: a}, ids=2, names=2, ops=(rename(0, a, b), create(b, 1)))
    creating = dict(ids=2, names=1, ops=(create(a, 0), create(a, 1)))
    run('E-m1 a pointer under way is not fenced', 'fails', fence=False, **two)
    run('E-m2 the second write does not check the epoch', 'fails', in_epoch=False, **two)
    run('E-m3 an own old pointer is not written anew', 'fails', written_anew=False, start={0: a}, ids=2, names=2,
        ops=(rename(0, a, b), rename(0, b, a), create(a, 1)))
    run('E-m4 a pointer is written without a precondition', 'fails', compare=False, **taking)
    run('E-m5 a pointer is taken whatever it leads to', 'fails', look=False, alone=False, **taking)
    run('E-m6 a pointer to a missing manifest counts as free', 'fails', fence_missing=False, **creating)
    run('E-m7 a refused commit is not looked for', 'fails', find_own=False, lost=1, start={0: a}, ids=1, names=2, ops=(rename(0, a, b),))
    run('E-m8 a reader goes by the pointer alone', 'fails', agree=False, start={0: a}, ids=1, names=2,
        ops=(rename(0, a, b), Op('look', name=b)))
    run('E-m9 dead pointers are DELETEd', 'fails', free='delete', start={0: a}, ids=1, names=2,
        ops=(rename(0, a, b), rename(0, b, a), Op('tidy', name=a)))
    run('E-m10 two writes at once, acknowledged by the pointer', 'fails', at_once=True, acknowledge='pointer', alone=False, **creating)
    run('E-m11 two writes at once, a missing manifest counts as free', 'fails', at_once=True, fence_missing=False, **creating)
    run('E-m12 a tombstone is removed while a pointer leads to it; a copy of the creation arrives', 'fails', copies=1, ids=1, names=1,
        ops=(create(a, 0), delete_(0, a), one('remove', 0, old='any')))
    run('E-m13 a tombstone is removed once no pointer leads to it; a rename is late, a copy of the creation arrives', 'fails',
        copies=1, ids=1, names=2, ops=(create(a, 0), rename(0, a, b), delete_(0, a), Op('tidy', name=a), one('remove', 0, old='unled')))
    # undeletion
    undeleting = dict(start={0: a}, names=1)
    run('E-m14 a deletion does not raise the epoch, and is undone', 'fails', delete_raises=False, ids=2,
        ops=(delete_(0, a), one('undelete', 0, a), create(a, 1)), **undeleting)
    run('E-m15 a sweep deletes the objects of what can be undeleted', 'fails', final=False, ids=1,
        ops=(delete_(0, a), one('undelete', 0, a), one('sweep', 0)), **undeleting)
    run('E-m16 a deleted fork does not count as one, and is undeleted', 'fails', dead_forks=False, start={0: a, 1: b},
        templates=(0,), forks={1: 0}, ids=2, names=2,
        ops=(delete_(1, b), delete_(0, a), one('sweep', 0), one('undelete', 1, b)))
    # forks
    no_undeletion = dict(final=False, dead_forks=False, unmade_final=False)     # rules that only an undeletion needs
    forking = dict(start={0: a}, templates=(0,), names=2, **no_undeletion)
    gone = (delete_(0, a), one('sweep', 0))
    run('E-m17 a fork does not look at its template again', 'fails', fork_looks='never', ids=2, ops=(fork(0, b, 1),) + gone, **forking)
    run('E-m18 it looks before its second write', 'fails', fork_looks='before', ids=2, ops=(fork(0, b, 1),) + gone, **forking)
    run('E-m19 it looks for its template by the name', 'fails', fork_looks='by name', ids=3,
        ops=(fork(0, b, 1, called=a),) + gone + (one('template', 2, a),), **forking)
    run('E-m20 a sweep of a deleted template does not look for forks', 'fails', sweep_looks='never', ids=2, ops=(fork(0, b, 1),) + gone, **forking)
    run('E-m21 it looks for forks before it reads the tombstone', 'fails', sweep_looks='before', ids=2, ops=(fork(0, b, 1),) + gone, **forking)
    run('E-m22 it looks for forks by the names', 'fails', forks_by='name', start={0: b, 1: c}, templates=(0,), forks={1: 0}, ids=2, names=3,
        ops=(rename(1, c, a), delete_(0, b), one('sweep', 0)), **no_undeletion)
    # imports
    importing = dict(ids=1, names=1, ops=(one('import', 0, a), one('reap', 0)))
    run('E-m23 a sweep deletes the objects of a repository without a name, and commits nothing', 'fails', sweep_nameless='objects', **importing)
    run('E-m24 it deletes them though its commit was refused', 'fails', sweep_nameless='blind', **importing)
    # pruned writer tables
    pruned = dict(table=1, start={0: a}, ids=1, names=2, ops=(rename(0, a, b), one('push', 0), one('push', 0)))
    run('E-m25 entries of the writer table are dropped without a record', 'fails', record_pruned=False, lost=1, **pruned)
    run('E-m26 a request is copied, its entry dropped before the answer is read: assumed not to happen (A14d)', 'fails', copies=1, **pruned)
    # followers
    run('E-m27 a poll reads each manifest once', 'fails', reread=False, start={0: a, 1: b}, ids=2, names=3,
        ops=(rename(0, a, c), rename(1, b, a), Op('follow')))
    run('E-m28 a poll reads the manifest of each name', 'fails', follow_by='name', start={0: b}, ids=1, names=2,
        ops=(rename(0, b, a), Op('follow')))
    # deletions
    run('E-m29 a deletion that is repeated does not look at the name again', 'fails', delete_checks='once', start={0: a}, ids=1, names=2,
        ops=(delete_(0, a), rename(0, a, b)))
    # copies of the bucket
    copying = dict(copied=True, start={0: a, 1: b}, ids=2, names=3, ops=(rename(0, a, c), rename(1, b, a)))
    repairs = (one('repair', 0), one('repair', 1))
    run('E-m30 a copy is used as it is', 'fails', unrepaired=True, **copying)
    run('E-m31 a repair binds one of two repositories that say a name', 'fails', report=False,
        **{**copying, 'ops': (rename(0, a, c), Op('tidy', name=a), rename(1, b, a))}, then=repairs)
    free = dict(copied=True, start={0: a}, ids=2, names=2, ops=(rename(0, a, b), Op('tidy', name=a), rename(0, b, a)))
    run('E-m32 a repair writes pointers without a bind, while others use the copy', 'fails', by_bind=False, alone=False,
        then=(one('repair', 0), create(a, 1)), **free)
    run('E-m33 a sweep deletes repositories to which no pointer leads', 'fails', sweep_unled=True, then=(one('reap', 0),), **copying)
    run('E-m34 a repair does not report a name that another repository gets meanwhile', 'fails', report_taken=False,
        then=(one('repair', 0), create(a, 1)), **free)
    making = dict(copied=True, ids=2, names=2, ops=(one('template', 0, a), fork(0, b, 1)))
    run('E-m35 the first manifest of a template does not say that it is to be one', 'fails', making=False, then=(one('reap', 0),), **making)
    run('E-m36 a repository without a name is swept as one with a name', 'fails', sweep_live_nameless=True, then=(one('reap', 0),), **making)
    run('E-m37 two writes at once, and a copy is repaired', 'fails', at_once=True, copied=True, start={0: a}, ids=2, names=2,
        ops=(create(a, 1), rename(0, a, b)), then=(one('repair', 0), one('repair', 1)))

    # what is under way
    run('E-m38 a pointer is marked free because its manifest does not say the name', 'fails', free_dead=False, start={0: b}, ids=1, names=2,
        ops=(rename(0, b, a), rename(0, a, b), Op('tidy', name=b)))
    run('E-m39 a pointer under way counts as taken', 'fails', under_way='taken', start={0: a}, ids=1, names=2, ops=(rename(0, a, b),))
    run('E-m40 a fork that was refused can be undeleted', 'fails', unmade_final=False, start={0: a}, templates=(0,), ids=2, names=2,
        ops=(fork(0, b, 1), delete_(0, a), one('undelete', 1, b)))
    run('E-m41 a repair of names marks a name free, and fences no bind under way', 'fails', release_fences=False, ids=1, names=1,
        ops=(create(a, 0), Op('release', name=a)))


def all_rules():
    faults = dict(lost=1, copies=1)
    no_undeletion = dict(final=False, dead_forks=False, unmade_final=False)     # rules that only an undeletion needs
    print('--- names')
    run('E-p1 two creations of a name', 'passes', ids=4, names=1, ops=(create(a, 0, 1), create(a, 2, 3)), **faults)
    run('E-p2 two creations of a name, four attempts each', 'passes', ids=8, names=1,
        ops=(create(a, 0, 1, 2, 3), create(a, 4, 5, 6, 7)), lost=1)
    run('E-p3 creation against rename', 'passes', start={0: a}, ids=3, ops=(rename(0, a, b), create(b, 1, 2)), **faults)
    run('E-p4 two renames to a name', 'passes', start={0: a, 1: b}, names=3, ops=(rename(0, a, c), rename(1, b, c)), **faults)
    run('E-p5 one repository, two renames', 'passes', start={0: a}, ids=1, names=3, ops=(rename(0, a, b), rename(0, a, c)), **faults)
    run('E-p6 there and back, creation at the old name', 'passes', start={0: a}, ids=3, ops=(rename(0, a, b), rename(0, b, a), create(a, 1, 2)), lost=1)
    run('E-p7 delete and create again, tidy', 'passes', start={0: a}, ids=3, names=1, ops=(delete_(0, a), create(a, 1, 2), Op('tidy', name=a)), **faults)
    run('E-p8 rename, push, cold look-up', 'passes', start={0: a}, ids=1, ops=(rename(0, a, b), one('push', 0), Op('look', name=b)), **faults)
    run('E-p9 chain into a freed name, cold and warm look-up', 'passes', start={0: a, 1: b}, names=3,
        ops=(rename(1, b, c), rename(0, a, b), Op('look', name=b), one('look', 1, b)))
    run('E-p10 delete against rename, creation', 'passes', start={0: a}, ids=3, ops=(delete_(0, a), rename(0, a, b), create(b, 1, 2)), lost=1)
    run('E-p11 rename, tidy, creation at the old name', 'passes', start={0: a}, ids=3, ops=(rename(0, a, b), Op('tidy', name=a), create(a, 1, 2)), **faults)
    run('E-p12 the same rename twice', 'passes', start={0: a}, ids=1, ops=(rename(0, a, b), rename(0, a, b)), **faults)
    run('E-p13 three for one name, two attempts each', 'passes', tries=2, start={0: a, 1: b}, ids=3, names=3, ops=(rename(0, a, c), rename(1, b, c), create(c, 2)))
    run('E-p14 swap by a third name, warm look-up', 'passes', start={0: a, 1: b}, names=3,
        ops=(rename(0, a, c), rename(1, b, a), rename(0, c, b), one('look', 0, a)))
    run('E-p15 swap by a third name, tidy, listing', 'passes', start={0: a, 1: b}, names=3,
        ops=(rename(0, a, c), rename(1, b, a), rename(0, c, b), Op('tidy', name=c), Op('listing')))
    run('E-p16 delete, tidy, two creations', 'passes', start={0: a}, ids=5, names=1, ops=(delete_(0, a), Op('tidy', name=a), create(a, 1, 2), create(a, 3, 4)))
    run('E-p17 creation, rename away, creation, delete', 'passes', ids=3, ops=(create(a, 0), rename(0, a, b), create(a, 1, 2), delete_(0, b)), copies=1)
    run('E-p18 no random text in pointers', 'passes', nonce=False, start={0: a, 1: b}, names=3, ops=(rename(0, a, c), rename(1, b, c)))
    run('E-p19 two creations of a name, more faults', 'passes', ids=4, names=1, ops=(create(a, 0, 1), create(a, 2, 3)), lost=2, copies=2)
    run('E-p20 three for one name, three attempts each', 'passes', tries=3, start={0: a, 1: b}, ids=4, names=3,
        ops=(rename(0, a, c), rename(1, b, c), create(c, 2, 3)))
    run('E-p21 two renames to a name, more faults', 'passes', start={0: a, 1: b}, names=3, ops=(rename(0, a, c), rename(1, b, c)), lost=2, copies=1)
    run('E-p22 rename, push, deletion, creation at both names', 'passes', start={0: a}, ids=3, ops=(rename(0, a, b), one('push', 0), delete_(0, b), create(a, 1), create(b, 2)), lost=1)
    run('E-p23 creations beside a repair of names', 'passes', ids=4, names=1, ops=(create(a, 0, 1), Op('release', name=a), create(a, 2, 3)), **faults)
    run('E-p24 rename, repair of names, creation at either name', 'passes', start={0: a}, ids=3,
        ops=(rename(0, a, b), Op('release', name=b), create(b, 1), create(a, 2)), lost=1)
    print('--- deletions that are undone')
    run('E-p25 delete, undelete, creation', 'passes', start={0: a}, ids=3, names=1, ops=(delete_(0, a), one('undelete', 0, a), create(a, 1, 2)), **faults)
    run('E-p26 delete, sweep, two undelete', 'passes', start={0: a}, ids=1, ops=(delete_(0, a), one('sweep', 0), one('undelete', 0, a), one('undelete', 0, b)), lost=1)
    run('E-p27 a fork is undeleted beside the deletion and the sweeps of both', 'passes', start={0: a, 1: b}, templates=(0,), forks={1: 0},
        ops=(delete_(1, b), delete_(0, a), one('sweep', 0), one('undelete', 1, b), one('sweep', 1)), lost=1)
    print('--- forks')
    forking = dict(start={0: a}, templates=(0,))
    run('E-p30 fork beside deletion and sweep of its template', 'passes', ids=3, ops=(fork(0, b, 1, 2), delete_(0, a), one('sweep', 0)), **faults, **forking)
    run('E-p31 the same, fork and template are renamed', 'passes', ids=2, names=4,
        ops=(fork(0, b, 1), rename(1, b, c), rename(0, a, d), delete_(0, d), one('sweep', 0)), **forking)
    run('E-p32 two forks for one name', 'passes', ids=3, ops=(fork(0, b, 1), fork(0, b, 2), delete_(0, a), one('sweep', 0)), **forking)
    run('E-p33 the name of the template is used again', 'passes', ids=3, ops=(fork(0, b, 1), delete_(0, a), one('sweep', 0), one('template', 2, a)), **forking)
    run('E-p34 fork, deletion of the fork, sweep of both', 'passes', ids=2, ops=(fork(0, b, 1), delete_(1, b), delete_(0, a), one('sweep', 0), one('sweep', 1)), **forking)
    run('E-p35 fork beside deletion, sweep and undeletion of its template', 'passes', ids=2,
        ops=(fork(0, b, 1), delete_(0, a), one('sweep', 0), one('undelete', 0, a)), lost=1, **forking)
    run('E-p37 fork beside deletion and sweep of its template, undeletion of the fork', 'passes', ids=2,
        ops=(fork(0, b, 1), delete_(0, a), one('sweep', 0), one('undelete', 1, b)), lost=1, **forking)
    run('E-p38 without rules for undeletion: fork, its deletion, deletion of its template, two sweeps', 'passes', ids=3,
        ops=(fork(0, b, 1, 2), delete_(1, b), delete_(0, a), one('sweep', 0), one('sweep', 1)), lost=1, copies=1, **no_undeletion, **forking)
    run('E-p36 two forks that are deleted, two sweeps of the template', 'passes', ids=3,
        ops=(fork(0, b, 1), fork(0, c, 2), delete_(0, a), one('sweep', 0), one('sweep', 0)), names=3, start={0: a}, templates=(0,))
    print('--- imports')
    run('E-p40 import beside a sweep of what has no name', 'passes', ids=1, names=1, ops=(one('import', 0, a), one('reap', 0)), **faults)
    run('E-p41 two imports of a name, a sweep', 'passes', ids=2, names=1, ops=(one('import', 0, a), one('import', 1, a), one('reap', 1)), lost=1)
    run('E-p42 import against a rename, a sweep', 'passes', start={1: b}, ids=2, ops=(one('import', 0, a), rename(1, b, a), one('reap', 0)))
    run('E-p43 template in the making, its sweep, a fork', 'passes', ids=2, ops=(one('template', 0, a), one('reap', 0), fork(0, b, 1)), **faults)
    run('E-p44 without rules for undeletion: template in the making, its sweep, a fork, deletion', 'passes', ids=2,
        ops=(one('template', 0, a), one('reap', 0), fork(0, b, 1), delete_(0, a), one('sweep', 0)), **no_undeletion)
    print('--- pruned writer tables')
    run('E-p50 a table of one: rename, two pushes', 'passes', table=1, start={0: a}, ids=1, ops=(rename(0, a, b), one('push', 0), one('push', 0)), lost=2)
    run('E-p51 a table of one: two creations', 'passes', table=1, ids=4, names=1, ops=(create(a, 0, 1), create(a, 2, 3), one('push', 0)), lost=1)
    run('E-p52 a table of one: delete, push, rename', 'passes', table=1, start={0: a}, ids=1, ops=(delete_(0, a), one('push', 0), rename(0, a, b)), lost=1)
    print('--- followers')
    run('E-p60 a poll beside renames into each other', 'passes', start={0: a, 1: b}, names=3, ops=(rename(0, a, c), rename(1, b, a), Op('follow')))
    run('E-p61 a poll beside a swap, a deletion and a creation', 'passes', start={0: a, 1: b}, ids=3, names=3,
        ops=(rename(0, a, c), rename(1, b, a), delete_(0, c), create(c, 2), Op('follow')), alone=False)
    run('E-p62 a poll beside renames in a circle', 'passes', start={0: a, 1: b, 2: c}, ids=3, names=4,
        ops=(rename(0, a, d), rename(1, b, a), rename(2, c, b), rename(0, d, c), Op('follow')))
    print('--- copies of the bucket')
    copying = dict(copied=True, start={0: a, 1: b}, names=3, ops=(rename(0, a, c), rename(1, b, a)))
    repairs = (one('repair', 0), one('repair', 1))
    run('E-p70 a copy is repaired', 'passes', then=repairs, **faults, **copying)
    run('E-p71 a copy of which two repositories may say a name is repaired', 'passes', then=repairs,
        **{**copying, 'ops': (rename(0, a, c), Op('tidy', name=a), rename(1, b, a))})
    run('E-p72 a copy is repaired while others create and rename', 'passes', then=repairs + (create(a, 2), rename(0, c, b)), ids=3, **copying)
    run('E-p83 a copy is repaired, and its names', 'passes', then=repairs + (Op('release', name=a), Op('release', name=c)), **copying)
    there_and_back = dict(copied=True, start={0: a}, ids=3, ops=(rename(0, a, b), Op('tidy', name=a), rename(0, b, a)))
    run('E-p77 a copy is repaired twice while others create and delete', 'passes',
        then=(one('repair', 0), one('repair', 0), create(a, 1), delete_(0, a)), **there_and_back)
    run('E-p78 a copy is not repaired; an import, a creation, renames', 'passes',
        then=(one('import', 1, a), create(b, 2), rename(0, a, b), rename(0, b, a)), **there_and_back)
    run('E-p73 a copy is not repaired; creation, rename, deletion, look-up', 'passes', then=(create(a, 2), rename(1, a, c), delete_(0, c), Op('look', name=a)), ids=3, **copying)
    run('E-p74 a copy is not repaired; sweep of what has no name, tidy', 'passes', ids=3,
        then=(one('reap', 2), one('reap', 0), one('sweep', 1), Op('tidy', name=a), Op('tidy', name=c)),
        copied=True, start={0: a, 1: b}, names=3, ops=(rename(0, a, c), one('import', 2, a), delete_(1, b)))
    run('E-p75 a template in the making, copied; sweeps in the copy', 'passes', copied=True, ids=2, ops=(one('template', 0, a), fork(0, b, 1)),
        then=(one('reap', 0), one('sweep', 0), one('repair', 1), one('repair', 0)), **no_undeletion)
    run('E-p76 a template is deleted while the bucket is copied; sweep in the copy', 'passes', copied=True, start={0: a}, templates=(0,), ids=2,
        ops=(fork(0, b, 1), delete_(0, a)), then=(one('sweep', 0), one('repair', 1), one('repair', 0)), **no_undeletion)
    run('E-p79 the manifest of a template is missing in a copy, its name is created again, sweep', 'passes', copied=True, ids=3, ops=(one('template', 0, a), fork(0, b, 1)),
        then=(create(a, 2), one('sweep', 0)), **no_undeletion)
    print('--- creation in one round trip, where no copy is made')
    run('E-p80 at once: two creations of a name', 'passes', at_once=True, ids=2, names=1, ops=(create(a, 0), create(a, 1)), **faults)
    run('E-p81 at once: creation against rename', 'passes', at_once=True, start={0: a}, ids=2, ops=(rename(0, a, b), create(b, 1)), **faults)
    run('E-p82 at once: delete and create again', 'passes', at_once=True, start={0: a}, ids=2, names=1, ops=(delete_(0, a), create(a, 1), Op('tidy', name=a)), **faults)
    print('--- removal of tombstones')
    run('E-p90 a tombstone is removed once no pointer leads to it, and nothing is on the way any more', 'passes', ids=2,
        ops=(create(a, 0), rename(0, a, b), delete_(0, a), Op('tidy', name=a), one('remove', 0, old='unled')))


if __name__ == '__main__':
    rules_left_out()
    all_rules()
    if UNEXPECTED:
        sys.exit('unexpected: ' + ', '.join(UNEXPECTED))
