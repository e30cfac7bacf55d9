from bfs import bfs, report
from collections import namedtuple
# ---------- S: passes over all repositories that skip what a pass has done. Two names, two passes.
# g=newest version of each name; done=(name, version) with nothing left to do; t=1: what waited is old enough;
# st=(etag, claims), the stored state; a claim is (version, moment until which it holds); p=passes:
# ('idle',k) or ('run',k,base etag,claims,made,name,phase,read) with phase 'next','work','save'
S=namedtuple('S','g done t st p')
NEVER=9
def model(name,claim='own',save='merge',early=False,end=True,passes=2,maxg=4,lost=False,**kw):
    init=S((1,1),frozenset(),0,(0,(None,None)),(('idle',0),)*passes)
    def put(t,i,v): return t[:i]+(v,)+t[i+1:]
    def succ(s):
        out=[]
        def P(i,v,**k): return s._replace(p=put(s.p,i,v),**k)
        for n in(0,1):
            if s.g[n]<maxg: out.append((f'push, delete or create: name {n} has version {s.g[n]+1}',s._replace(g=put(s.g,n,s.g[n]+1))))
        if s.t==0: out.append(('time: garbage has expired',s._replace(t=1,done=frozenset())))
        for i,c in enumerate(s.p):
            if c[0]=='idle':
                if c[1]<1: out.append((f'P{i}: reads the state and lists',P(i,('run',c[1],s.st[0],s.st[1],frozenset(),0,'next',s.g))))
                continue
            _,k,base,claims,made,n,phase,read=c
            out.append((f'P{i}: is killed',P(i,('idle',k+1))))
            if phase=='next':
                if n==2: out.append((f'P{i}: ends',P(i,('idle',k+1)))); continue
                old=claims[n]
                if old and old[0]==read[n] and s.t<old[1]: out.append((f'P{i}: skips name {n}',P(i,('run',k,base,claims,made,n+1,'next',read))))
                elif early: out.append((f'P{i}: claims version {s.g[n]} of name {n} and saves before its work',P(i,('run',k,base,put(claims,n,(s.g[n],NEVER)),made|{n},n,'save',('todo',s.g,read)))))
                else: out.append((f'P{i}: begins work on name {n}, reads version {s.g[n]}',P(i,('run',k,base,claims,made,n,'work',(s.g[n],s.t,read)))))
            elif phase=='work':
                v,t,listed=read; now=s.g[n]; done=s.done
                until=(1 if t==0 else NEVER) if end else NEVER
                if t==s.t or t==1: done=done|{(n,v)}
                def claimed(x,d,g): return P(i,('run',k,base,put(claims,n,(x,until)) if x else claims,made|({n} if x else set()),n,'save' if x else 'next',('','',listed)) if x else ('run',k,base,claims,made,n+1,'next',listed),done=d,g=g)
                # the work leaves the manifest as it is
                out.append((f'P{i}: ends work on version {v} of name {n}',claimed(now if claim=='newest' else v,done,s.g)))
                if now<maxg:                                  # it commits, on the newest version
                    clean=now==v; d=done|({(n,now+1)} if clean and (t==s.t or t==1) else set())
                    x=now+1 if claim=='newest' or clean else None
                    out.append((f'P{i}: ends work on version {v} of name {n}, commits version {now+1}',claimed(x,d,put(s.g,n,now+1))))
            else:
                todo=read[0]=='todo'; after=(n,'work',(read[1][n],s.t,read[2])) if todo else (n+1,'next',read[2])
                if base==s.st[0] or save=='blind':
                    e=s.st[0]+1
                    out.append((f'P{i}: saves {claims}',P(i,('run',k,e,claims,made)+after,st=(e,claims))))
                else:
                    merged=tuple(claims[m] if m in made else s.st[1][m] for m in(0,1)) if save=='merge' else claims
                    out.append((f'P{i}: is refused, takes over {merged}',P(i,('run',k,s.st[0],merged,made,n,'save',read))))
        return [(l,x._replace(t=7) if lost and gone(s,x) else x) for l,x in out]
    def gone(s,x):                                          # a claim is no more in the state that the saving pass did not replace by its own
        made=next((a[4] for a,b in zip(s.p,x.p) if a!=b and a[0]=='run'),())
        return any(n not in made and c and c[0]==s.g[n] and s.t<c[1] and x.g==s.g and x.t==s.t and x.st!=s.st and x.st[1][n]!=c for n,c in enumerate(s.st[1]))
    def check(s):
        if s.t==7: return 'the work of another pass is forgotten'
        for n,c in enumerate(s.st[1]):
            if c and c[0]==s.g[n] and s.t<c[1] and (n,c[0]) not in s.done: return f'name {n} at version {c[0]} will be skipped, and was never worked on'
    report(name,bfs(init,succ,check,**kw))
model('S1 a pass claims the version that is the newest after its work',claim='newest')
model('S2 a claim is saved before its work ends',early=True)
model('S3 claims have no end',end=False)
model('S4 a pass replaces what another has saved',save='blind',lost=True)
model('S4b S4, where work may be done again',save='blind',maxg=2)
model('S5 all rules',lost=True,maxg=2)
# ---------- sweeps that claim. obj={(n, live?)}; a push uploads, then commits or dies; a collection replaces.
# sw=('idle',) ('list',v,live) ('claim',v,seen); claim=(version, objects that were listed in the store)
W=namedtuple('W','g obj live n push sw claim')
def sweeps(name,claim='own',settled='nothing waits',maxg=6,**kw):
    init=W(1,frozenset([0]),frozenset([0]),1,None,('idle',),None)
    def succ(s):
        out=[]
        if s.push is None and s.n<3: out.append((f'push: uploads object {s.n}',s._replace(obj=s.obj|{s.n},push=s.n,n=s.n+1)))
        if s.push is not None:
            out.append(('push: is killed',s._replace(push=None)))
            if s.g<maxg: out.append((f'push: commits version {s.g+1}',s._replace(g=s.g+1,live=s.live|{s.push},push=None)))
        if s.g<maxg:
            for o in s.live: out.append((f'collection: replaces object {o}, commits version {s.g+1}',s._replace(g=s.g+1,live=s.live-{o})))
        if s.sw[0]=='idle' and s.g<maxg: out.append((f'sweep: commits version {s.g+1}',s._replace(g=s.g+1,sw=('list',s.g+1,s.live))))
        if s.sw[0]=='list':
            waits=s.obj-s.sw[2]
            if settled=='nothing waits' and waits: out.append((f'sweep: lists, {sorted(waits)} wait',s._replace(sw=('idle',))))
            else: out.append(('sweep: lists, is settled',s._replace(sw=('claim',s.sw[1],s.obj))))
        if s.sw[0]=='claim':
            v=s.g if claim=='newest' else s.sw[1]
            out.append((f'sweep: claims version {v}',s._replace(sw=('idle',),claim=(v,s.sw[2]))))
        return out
    def check(s):
        if s.claim and s.claim[0]==s.g and (s.claim[1]&s.obj)-s.live: return f'objects {sorted((s.claim[1]&s.obj)-s.live)} wait, and no sweep comes'
    report(name,bfs(init,succ,check,**kw))
sweeps('S8 a sweep that deleted what it may claims, though objects wait',settled='nothing to delete')
sweeps('S8b a sweep claims the version that is the newest',claim='newest')
sweeps('S9 a sweep claims the version it went by, if nothing waits')
