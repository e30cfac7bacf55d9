from bfs import bfs, report
from collections import namedtuple
import sys
# ---------- N: lives and names.  Renames step by step, a copy of the store taken key by key, restores, sweeps.
# A manifest is (kind, life, generation, other, packs, left); kinds: A active, M moving (other = (to, reservation)),
# V moved away (same), R reserved (other = from), T deleted; left = {(life, to, reservation)}: lives that left the
# name by a rename, and the generation of the new name's reservation.  An object is (life, n).
class C:
    def __init__(s,**k):
        s.scan=True        # a sweep reads all manifests, and where they say a repository went, before it deletes a life
        s.since=True       # a rename is finished only if the new name has gone past its reservation
        s.find=True        # contradictions are looked for after a restore, and keep creations and renames away
        s.lost=True        # ... a tombstone that names a manifest from before the rename is one
        s.trail=True       # a name that is used again still says which lives have left it, and where to
        s.stale=True       # ... a rename under way whose new name is from before it is one
        s.restore=None     # None | 'copy' (all of the store, key by key, in any order) | 'place' (one manifest)
        s.silent=False     # restored all the same, and only sweeps are watched
        s.names=('a','b'); s.lives=2; s.objs=3; s.ops=6; s.maxg=9
        s.__dict__.update(k)
S=namedtuple('S','man objs notes nl no ops cp hist sw phase found must swept alive0')
def modelN(name,c,**kw):
    N=c.names
    get=lambda man,n: man[N.index(n)]
    def put(man,n,v): i=N.index(n); return man[:i]+(v,)+man[i+1:]
    gen=lambda m: m[2] if m else 0
    def ours(man,a,b):
        m=get(man,b); return m is not None and m[0]=='R' and m[1]==get(man,a)[1] and m[3]==a
    def before(man,life,a,b,r):  # the new name is as it was before the life came there
        m=get(man,b); return gen(m)<=r or (m[0]=='R' and m[1]==life and m[3]==a)
    def arrived(man,n): b,r=get(man,n)[3]; return not before(man,get(man,n)[1],n,b,r)
    def left(m): return m[5] if m and c.trail else frozenset()
    def without(l,life): return frozenset(e for e in l if e[0]!=life)
    def holds(man,n):
        m=get(man,n); return m is not None and (m[0]=='A' or (m[0]=='M' and not arrived(man,n)))
    def holders(man,life): return [n for n in N if holds(man,n) and get(man,n)[1]==life]
    def held(man): return frozenset(get(man,n)[1] for n in N if holds(man,n))
    def contradictions(man):
        out=[]
        for life in sorted(held(man)):
            if len(holders(man,life))>1: out.append(('several',life))
        for n in N:
            m=get(man,n)
            if m is None: continue
            gone=set(left(m))|({(m[1],)+m[3]} if m[0]=='V' else set())
            if c.lost: out+=[('lost',l) for l,b,r in gone if before(man,l,n,b,r) and not holders(man,l)]
            if c.stale and m[0]=='M' and not arrived(man,n) and not ours(man,n,m[3][0]): out.append(('stale',n))
        return frozenset(out)
    init=S(tuple(('A','L0',1,None,frozenset(),frozenset()) if n==N[0] else None for n in N),frozenset(),frozenset(),1,0,0,
           None,frozenset(),None,'before',frozenset(),frozenset(),frozenset(),frozenset())
    def succ(s):
        out=[]; man=s.man
        def to(label,**k): out.append((label,s._replace(ops=s.ops+1,**k)))
        def keep(man2): return s.hist|{(n,get(man2,n)) for n in N if get(man2,n) is not None and get(man2,n)[0]=='A'} if c.restore=='place' and s.phase=='before' else s.hist
        refused=bool(s.found)
        if s.ops<c.ops:
            for a in N:
                m=get(man,a)
                if m is not None and m[0]=='A' and m[2]<c.maxg:
                    if s.no<c.objs:
                        o=(m[1],s.no); m2=put(man,a,('A',m[1],m[2]+1,None,m[4]|{o},m[5]))
                        to(f'push to {a}: object {o}',man=m2,objs=s.objs|{o},no=s.no+1,hist=keep(m2))
                    if not refused:
                        to(f'delete {a} ({m[1]})',man=put(man,a,('T',m[1],m[2]+1,None,frozenset(),m[5])),must=s.must-{m[1]})
                        for b in N:
                            t=get(man,b)
                            if b==a: continue
                            if t is None or t[0] in 'TV':
                                note=s.notes|({(m[1],t[1])} if t and t[0]=='T' else set())
                                to(f'rename {a} to {b}: reserves {b}',man=put(man,b,('R',m[1],gen(t)+1,a,frozenset(),left(t))),notes=note)
                            elif ours(man,a,b):
                                to(f'rename {a} to {b}: marks {a}',man=put(man,a,('M',m[1],m[2]+1,(b,gen(t)),m[4],m[5])))
                if m is not None and m[0]=='M':
                    b,r=m[3]; t=get(man,b)
                    if ours(man,a,b):
                        m2=put(man,b,('A',m[1],max(m[2],gen(t))+1,None,m[4],without(left(t),m[1])))
                        to(f'rename {a} to {b}: binds {b}',man=m2,hist=keep(m2))
                    elif not c.since or gen(t)>r:
                        to(f'rename {a} to {b}: leaves a tombstone',man=put(man,a,('V',m[1],m[2]+1,m[3],frozenset(),without(left(m),m[1])|({(m[1],)+m[3]} if c.trail else set()))))
                if (m is None or m[0] in 'TV') and s.nl<c.lives and not refused:
                    life='L%d'%s.nl; note=s.notes|({(life,m[1])} if m and m[0]=='T' else set())
                    m2=put(man,a,('A',life,gen(m)+1,None,frozenset(),left(m)))
                    to(f'create {a} as {life}',man=m2,notes=note,nl=s.nl+1,hist=keep(m2))
        # copy of the store, one key after the other, the objects at any time
        if c.restore=='copy' and s.phase=='before':
            cp=s.cp or (tuple('-' for _ in N),None)
            a0=s.alive0 if s.cp else held(man)
            for n in N:
                if get(cp[0],n)=='-': out.append((f'copy: manifest of {n}',s._replace(cp=(put(cp[0],n,get(man,n)),cp[1]),alive0=a0)))
            if cp[1] is None: out.append(('copy: objects',s._replace(cp=(cp[0],(s.objs,s.notes)),alive0=a0)))
            if s.cp and '-' not in cp[0] and cp[1] is not None:
                f=contradictions(cp[0]) if c.find else frozenset()
                always=s.alive0&held(man)
                h=held(cp[0])
                bad=frozenset() if f or c.silent else frozenset(l for l in always if len(holders(cp[0],l))!=1)
                lost=frozenset(o for n in N if holds(cp[0],n) for o in get(cp[0],n)[4])-cp[1][0]
                out.append((f'restore the copy; contradictions: {sorted(f)}',
                    S(cp[0],cp[1][0]|lost,cp[1][1],s.nl,s.no,max(0,c.ops-3),None,frozenset(),None,'bad' if bad else 'after',f,h,frozenset(),always)))
        if c.restore=='place' and s.phase=='before':
            for n,m in s.hist:
                if m!=get(man,n):
                    man2=put(man,n,m); f=contradictions(man2) if c.find else frozenset()
                    out.append((f'stop all, put {m[1]} of generation {m[2]} back at {n}; contradictions: {sorted(f)}',
                        s._replace(man=man2,objs=s.objs|m[4],ops=max(0,c.ops-3),phase='after',found=f,must=held(man2),hist=frozenset())))
        # sweep of one name
        if s.phase=='after':
            if s.sw is None:
                for n in N:
                    m=get(man,n)
                    if m is not None and m[0] in 'AT': out.append((f'sweep {n}: begins',s._replace(sw=(n,frozenset(N) if c.scan else frozenset(),frozenset()))))
            else:
                n,unread,seen=s.sw
                for x in sorted(unread):
                    m=get(man,x); more=set()
                    if m is not None and m[0] in 'AM': more.add((m[1],x))
                    if m is not None and m[0] in 'MV': more.add((m[1],m[3][0]))
                    more|={(l,b) for l,b,r in left(m)}
                    out.append((f'sweep {n}: reads {x}',s._replace(sw=(n,unread-{x},seen|more))))
                m=get(man,n)
                if not unread:
                    if m is None or m[0] not in 'AT': out.append((f'sweep {n}: stops',s._replace(sw=None)))
                    else:
                        def others(life):
                            ask=[x for l,x in seen if l==life]; asked=set(); r=set()
                            while ask:
                                x=ask.pop()
                                if x in asked: continue
                                asked.add(x); q=get(man,x)
                                if q is None: continue
                                ask+=[b for l,b,_ in left(q) if l==life]
                                if q[1]!=life: continue
                                if holds(man,x): r.add(x)
                                if q[0] in 'MV': ask.append(q[3][0])
                            return r
                        life=m[1]; doomed=set()
                        if m[0]=='A':
                            if not others(life)-{n}:
                                doomed|={o for o in s.objs if o[0]==life and o not in m[4]}
                                for l,f in s.notes:
                                    if l==life and not others(f): doomed|={o for o in s.objs if o[0]==f}
                        elif not others(life):
                            doomed|={o for o in s.objs if o[0]==life}
                            for l,f in s.notes:
                                if l==life and not others(f): doomed|={o for o in s.objs if o[0]==f}
                        out.append((f'sweep {n}: deletes {sorted(doomed)}',s._replace(objs=s.objs-doomed,swept=s.swept|doomed,sw=None)))
        return out
    def check(s):
        if s.phase=='bad': return f'restored without a word, though not each of {sorted(s.alive0)} has one name'
        for n in N:
            m=get(s.man,n)
            if holds(s.man,n):
                miss=m[4]&s.swept
                if miss: return f'{n} ({m[1]}) lists what a sweep deleted: {sorted(miss)}'
        if s.phase=='after' and not c.silent and not s.must<=held(s.man): return f'no name holds {sorted(s.must-held(s.man))} any more'
    report(name,bfs(init,succ,check,**kw))
# ---------- N8 to N10: what a manifest says of its name.  A manifest is (kind, life, generation, other, says, of, by):
# says = (name, generation) or None, as it is stored; of = the name it was written for, by = 'new' or 'old' version,
# which nothing stores.  An old version writes no name, and keeps what it does not know, also when it binds a new name.
class CB:
    def __init__(s,**k):
        s.says='both'      # None | 'name' | 'both': name and generation, and another generation says nothing
        s.old=False        # processes of an old version take part
        s.accident=False   # one manifest is copied to another name, or two are exchanged, at any moment
        s.ops=7
        s.__dict__.update(k)
SB=namedtuple('SB','man nl ops hit')
def modelB(name,c,**kw):
    N=('a','b')
    get=lambda man,n: man[N.index(n)]
    def put(man,n,v): i=N.index(n); return man[:i]+(v,)+man[i+1:]
    gen=lambda m: m[2] if m else 0
    def refused(m,n): return m is not None and m[4] is not None and m[4][0]!=n and (c.says=='name' or m[4][1]==m[2])
    def write(by,n,kind,life,g,other,kept): return (kind,life,g,other,((n,g) if c.says else None) if by=='new' else kept,n,by)
    def succ(s):
        out=[]; man=s.man
        def to(by,label,n,*m): out.append((f'{by}: {label}',s._replace(man=put(man,n,write(by,n,*m)),ops=s.ops+1)))
        for by in ('new','old') if c.old else ('new',):
            if s.ops>=c.ops: break
            for a,b in (N,N[::-1]):
                m=get(man,a); t=get(man,b)
                if by=='new' and refused(m,a): continue
                if m is None or m[0] in 'TV':
                    if s.nl<2:
                        out.append((f'{by}: create {a}',s._replace(man=put(man,a,write(by,a,'A','L%d'%s.nl,gen(m)+1,None,None)),nl=s.nl+1,ops=s.ops+1)))
                    continue
                if m[0]=='A':
                    to(by,f'commit to {a}',a,'A',m[1],m[2]+1,None,m[4])
                    to(by,f'delete {a}',a,'T',m[1],m[2]+1,None,None)
                if by=='new' and refused(t,b): continue
                ours=t is not None and t[0]=='R' and t[1]==m[1] and t[3]==a
                if m[0]=='A' and (t is None or t[0] in 'TV'): to(by,f'rename {a} to {b}: reserves {b}',b,'R',m[1],gen(t)+1,a,None)
                if m[0]=='A' and ours: to(by,f'rename {a} to {b}: marks {a}',a,'M',m[1],m[2]+1,(b,t[2]),m[4])
                if m[0]=='M' and ours: to(by,f'rename {a} to {b}: binds {b}',b,'A',m[1],max(m[2],t[2])+1,None,m[4])
                if m[0]=='M' and not ours and gen(t)>m[3][1]: to(by,f'rename {a} to {b}: leaves a tombstone',a,'V',m[1],m[2]+1,m[3],None)
        if c.accident and not s.hit:
            for a,b in (N,N[::-1]):
                if get(man,a) is not None: out.append((f'the manifest of {a} is copied to {b}',s._replace(man=put(man,b,get(man,a)),hit=True)))
            if None not in man: out.append(('the manifests are exchanged',s._replace(man=man[::-1],hit=True)))
        return out
    def check(s):
        for n in N:
            m=get(s.man,n)
            if m is None: continue
            if m[5]==n and refused(m,n): return f'{n} is refused, though it was written for that name'
            if m[5]!=n and m[6]=='new' and not refused(m,n): return f'{n} is taken for what was written for {m[5]}'
    init=SB((write('new','a','A','L0',1,None,None),None),1,0,False)
    report(name,bfs(init,succ,check,**kw))
if __name__=='__main__':
    which=sys.argv[1:]
    def X(k,t=300,**kw):
        if not which or k.split()[0] in which: modelN(k,C(**kw),tmax=t)
    X('N1 a manifest put back, sweeps go by notes and tombstones alone',restore='place',scan=False,objs=1,ops=8)
    X('N2 a copy taken during a rename, sweeps go by one manifest alone, contradictions ignored',restore='copy',scan=False,find=False,silent=True,objs=1,ops=7)
    X('N3 a copy taken during a rename, nothing looked for after the restore',restore='copy',find=False,objs=1,ops=6)
    X('N4 a copy without the manifest that a tombstone names',restore='copy',lost=False,objs=1,ops=6)
    X('N5 a rename whose new name is from before it, finished',restore='copy',since=False,stale=False,objs=1,ops=7)
    X('N6 a name used again says nothing of what was renamed away from it',restore='copy',trail=False,objs=1,ops=6)
    X('N7 all rules: a copy in any order',restore='copy',objs=2,ops=7)
    X('N7b all rules: a manifest put back',restore='place',objs=2,ops=8)
    X('N7c all rules: three names',restore='copy',names=('a','b','c'),objs=0,ops=6)
    X('N7d all rules: a copy restored though it has contradictions',restore='copy',find=False,silent=True,objs=2,ops=8)
    def Y(k,t=300,**kw):
        if not which or k.split()[0] in which: modelB(k,CB(**kw),tmax=t)
    Y('N8 a manifest does not say its name',says=None,accident=True)
    Y('N9 a manifest says its name alone, an old version renames',says='name',old=True)
    Y('N9b a manifest says its name alone, no old version',says='name',accident=True,ops=9)
    Y('N10 a manifest says its name and generation',accident=True,old=True,ops=9)
