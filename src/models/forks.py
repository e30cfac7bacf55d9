from bfs import bfs, report
from collections import namedtuple
# ---------- K: forks of a template, and what may be swept when.
# t: names of templates 'a','b' -> ('live',id) | ('gone',id) | ('left',id) | None.  Template 0 is at 'a'.
# obj: ids of templates whose objects exist; 'own': packs that forks have made exist always.
# p: makers of forks: ('idle',) | ('read',id) | ('put',id) | ('end',)
# f: forks, one for each maker: None | 'dead' | (id named or None, lists its packs?, name 0|1, acknowledged)
# d: who deletes template 0: ('idle',) | ('scan',left,found) | ('end',)
# w: sweep of template 0: ('idle',) | ('scan',left,found,tomb seen) | ('del',) | ('end',)
# left: the places a scan has yet to read: (fork, name); rn: renames of forks left; rt: renames of template left
S=namedtuple('S','t obj p f d w rn rt det')
class C:
    def __init__(s,**k):
        s.look='after'     # a fork looks at its template again: never | before (its write) | after
        s.byname=False     # it compares the name of the template, not the id
        s.sweepscan=True   # a sweep of a deleted template looks for forks
        s.tombfirst=True   # ... after it has read the tombstone
        s.delscan=True     # a deletion looks for forks (and is refused)
        s.follow=True      # a scan follows repositories that were renamed meanwhile
        s.frozen=True      # a template is never written
        s.detach='last'    # a fork stops naming its template: last (once it lists none of its packs) | first
        s.relist=False     # a fork lists a pack of its template again
        s.reuse=False      # the name of a deleted template is used again, for another template
        s.forks=2; s.rn=0; s.rt=0; s.det=0
        s.__dict__.update(k)
def put(t,i,v): return t[:i]+(v,)+t[i+1:]
def model(name,c,**kw):
    init=S(('live0',None),frozenset([0]),(('idle',),)*c.forks,(None,)*c.forks,('idle',),('idle',),c.rn,c.rt,c.det)
    places=frozenset((i,n) for i in range(c.forks) for n in ((0,1) if c.rn else (0,)))
    def names0(s,i,n):
        f=s.f[i]
        if f is None or f=='dead': return False
        return f[0]==0 and (f[2]==n or (c.follow and n==0))   # what left name 0 is looked for where it went
    def live(x): return x is not None and x.startswith('live')
    def succ(s):
        out=[]
        for i,p in enumerate(s.p):
            P=lambda v,**k: s._replace(p=put(s.p,i,v),**k)
            if p[0]=='idle':
                for n in (0,1):
                    if live(s.t[n]): out.append((f'fork{i}: reads template {s.t[n][4:]} at {"ab"[n]}',P(('read',int(s.t[n][4:]),n))))
            elif p[0]=='read':
                ok=c.look!='before' or s.t[p[2]]==f'live{p[1]}'
                if c.look=='before': out.append((f'fork{i}: looks again: '+('there' if ok else 'gone, gives up'),P(('sure',p[1],p[2]) if ok else ('end',))))
                else: out.append((f'fork{i}: is written, names template {p[1]}',P(('put',p[1],p[2]),f=put(s.f,i,(p[1],True,0,c.look=='never')))))
            elif p[0]=='sure':
                out.append((f'fork{i}: is written, names template {p[1]}; acknowledged',P(('end',),f=put(s.f,i,(p[1],True,0,True)))))
            elif p[0]=='put' and c.look=='after':
                there=live(s.t[p[2]]) if c.byname else s.t[p[2]]==f'live{p[1]}'
                f=s.f[i]
                if there and f!='dead': out.append((f'fork{i}: template is there, acknowledged',P(('end',),f=put(s.f,i,(f[0],f[1],f[2],True)))))
                else: out.append((f'fork{i}: template is gone, fork is deleted',P(('end',),f=put(s.f,i,'dead'))))
            if p[0] in('read','put','sure'): out.append((f'fork{i}: its maker is killed',P(('end',))))
            f=s.f[i]
            if f is not None and f!='dead':
                F=lambda *v,**k: s._replace(f=put(s.f,i,v),**k)
                if s.rn and f[2]==0: out.append((f'fork{i}: is renamed',F(f[0],f[1],1,f[3],rn=s.rn-1)))
                if f[3]: out.append((f'fork{i}: is deleted',s._replace(f=put(s.f,i,'dead'))))
                if s.det and f[0] is not None and f[1] and f[0] in s.obj:
                    if c.detach=='first': out.append((f'fork{i}: names no template any more',F(None,True,f[2],f[3],det=s.det-1)))
                    else: out.append((f'fork{i}: has copied all, lists packs of its own',F(f[0],False,f[2],f[3],det=s.det-1)))
                if f[0] is not None and not f[1]: out.append((f'fork{i}: names no template any more',F(None,False,f[2],f[3])))
                if c.relist and f[0] is None and not f[1]: out.append((f'fork{i}: lists a pack of its template again',F(None,True,f[2],f[3])))
        here=[n for n in(0,1) if s.t[n]=='live0']
        if not c.frozen and here and 0 in s.obj: out.append(('template 0: is collected and swept',s._replace(obj=s.obj-{0})))
        if s.rt and here==[0]: out.append(('template 0: is renamed to b',s._replace(t=('left0','live0'),rt=s.rt-1)))
        if c.reuse and s.t[0] in('gone0','left0'): out.append(('template 1: is made at a',s._replace(t=('live1',s.t[1]),obj=s.obj|{1})))
        # deletion
        if s.d[0]=='idle' and here: out.append(('delete: begins',s._replace(d=('scan',places if c.delscan else frozenset(),False))))
        elif s.d[0]=='scan':
            if s.d[1]:
                for x in s.d[1]: out.append((f'delete: looks for fork{x[0]} at name {x[1]}',s._replace(d=('scan',s.d[1]-{x},s.d[2] or names0(s,*x)))))
            elif s.d[2]: out.append(('delete: is refused, there is a fork',s._replace(d=('end',))))
            elif here: out.append(('delete: tombstone',s._replace(t=put(s.t,here[0],'gone0'),d=('end',))))
        # sweep of the deleted template
        tomb='gone0' in s.t
        if s.w[0]=='idle' and (tomb or not c.tombfirst):
            out.append(('sweep: begins, template 0 is '+('deleted' if tomb else 'there'),s._replace(w=('scan',places if c.sweepscan else frozenset(),False,tomb))))
        elif s.w[0]=='scan':
            if s.w[1]:
                for x in s.w[1]: out.append((f'sweep: looks for fork{x[0]} at name {x[1]}',s._replace(w=('scan',s.w[1]-{x},s.w[2] or names0(s,*x),s.w[3]))))
            elif s.w[2]: out.append(('sweep: spares template 0, there is a fork',s._replace(w=('idle',))))
            elif tomb: out.append(('sweep: template 0 is deleted and no fork was found',s._replace(w=('del',))))
            else: out.append(('sweep: template 0 is there',s._replace(w=('idle',))))
        elif s.w[0]=='del': out.append(('sweep: (wakes up) deletes the objects of template 0',s._replace(obj=s.obj-{0},w=('end',))))
        return out
    def check(s):
        for n in(0,1):
            if live(s.t[n]) and int(s.t[n][4:]) not in s.obj: return f'template {s.t[n][4:]} lists a deleted object'
        for i,f in enumerate(s.f):
            if f is not None and f!='dead' and f[3] and f[1] and (0 if f[0] is None else f[0]) not in s.obj: return f'fork{i}, which was acknowledged, lists a deleted object of its template'
    report(name,bfs(init,succ,check,**kw))
X=lambda k,**kw: model(k,C(**kw))
X('K1 a fork does not look at its template again',look='never')
X('K2 it looks before its own write',look='before')
X('K3 a sweep trusts the deletion, which has looked for forks',sweepscan=False)
X('K4 a sweep looks for forks before it reads the tombstone',tombfirst=False)
X('K5 a template is written: collected, then swept',frozen=False)
X('K8 a detached fork drops the name of its template first',detach='first',det=1)
X('K9 a detached fork lists a pack of the template again',relist=True,det=1)
X('K10 all rules, deletions do not look for forks',delscan=False,rn=1,rt=1,reuse=True)
X('K11 all rules: renames of forks and template, name used again, detached forks',rn=1,rt=1,reuse=True,det=2)
X('K11b all rules, three forks',forks=3,rt=1)
# ---------- a template in the making: copied, then fenced, then renamed to its name.
# at: staging | other | template; pushed: others have pushed to it; fenced; m: its maker
M=namedtuple('M','at pushed fenced m')
def making(name,compared,**kw):
    def succ(s):
        out=[]
        same=s.at=='staging' and not s.pushed
        if s.m=='copied' and not compared: out.append(('maker: looks, '+('it is as copied' if same else 'it is not, gives up'),s._replace(m='looked' if same else 'end')))
        elif s.m=='copied': out.append(('maker: '+('fences what it has copied' if same else 'gives up, it is not what it has copied'),s._replace(fenced=same,m='fenced' if same else 'end')))
        elif s.m=='looked': out.append(('maker: fences what is there',s._replace(fenced=True,m='fenced')))
        elif s.m=='fenced' and s.at=='staging': out.append(('maker: renames it',s._replace(at='template',m='end')))
        if not s.fenced and not s.pushed: out.append(('others: push to it',s._replace(pushed=True)))
        if s.at=='staging': out.append(('others: rename it',s._replace(at='other')))
        return out
    def check(s): return 'a push of others is in a template' if s.fenced and s.pushed else None
    report(name,bfs(M('staging',False,False,'copied'),succ,check,**kw))
# ---------- packs of a fork are merged while it is detached. Object o is in the template, and a push brings it again.
# packs: those listed, with whether they have o; led: a ref leads to o; g: merge, x: detachment: None | pinned | end
P=namedtuple('P','packs led g x')
def merging(name,excludes,adds=False,**kw):
    def has(ps): return any(o for _,o in ps)
    def succ(s):
        out=[]; own=frozenset(p for p in s.packs if p[0]!='t')
        if not s.led: out.append(('push: lists pack d with o, a ref leads to o',s._replace(packs=s.packs|{('d',True)},led=True)))
        if s.g is None and own: out.append(('merge: pins its packs',s._replace(g=(own|(s.packs if adds else frozenset()),('t',True) in s.packs and excludes))))
        elif isinstance(s.g,tuple):
            if s.g[0]<=s.packs: out.append(('merge: lists m'+(' without what the template has' if s.g[1] else ''),s._replace(packs=(s.packs-s.g[0])|{('m',has(s.g[0]) and not s.g[1])},g='end')))
            else: out.append(('merge: gives up, a pack is not listed any more',s._replace(g='end')))
        if s.x is None: out.append(('detach: pins refs and packs',s._replace(x=(s.packs,s.led))))
        elif s.x!='end':
            if s.x[0]<=s.packs: out.append(('detach: lists x, with all that the pinned refs lead to',s._replace(packs=(s.packs-s.x[0])|{('x',s.x[1])},x='end')))
            else: out.append(('detach: gives up, a pack is not listed any more',s._replace(x='end')))
        return out
    def check(s):
        if s.led and not has(s.packs): return 'a ref leads to an object that no pack has'
        if adds and s.x is None and ('t',True) not in s.packs: return 'a pack of the template has left its fork'
    report(name,bfs(P(frozenset([('t',True)]),False,None,None),succ,check,**kw))
making('K13 a template is fenced after a look at it',False)
making('K13b a template is fenced only as it was copied, in one write',True)
merging('K14 merging packs of a fork leaves out what its template has',True)
merging('K14b merging packs of a fork merges those of its template',False,adds=True)
merging('K14c a fork merges its own packs, whole',False)
