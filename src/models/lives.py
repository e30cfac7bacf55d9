# Creations and deletions of one name, while the way to the store copies requests, and answers get lost.
# A manifest is (kind, life, generation, recent, floor): kinds A active, T deleted; recent holds (nonce, generation) of
# the last writes of the name, of commits, creations and deletions alike, and floor is prunedTo.
from bfs import bfs, report
from collections import namedtuple
import sys
class Cfg:
    def __init__(s,**k):
        s.ops=('delete','create','create')   # one process each
        s.used=True          # the name has a repository at first
        s.pushes=1           # commits of others
        s.copies=1           # requests that arrive twice, with the answer of either
        s.faults=0           # answers that get lost
        s.table=9            # writes that a manifest remembers
        s.former=()          # processes of an earlier version, which keep no writes
        s.spurious=0         # refusals of what then stays under way
        s.repeat=True        # a refusal that finds nothing changed decides nothing: the same bytes are sent again
        s.own=True           # a creation that finds its own repository has made it
        s.rule='name'        # what tells whether a refused write was made: 'doubt' the generation, if an answer was
                             # lost | 'name' the writes that the name remembers
        s.__dict__.update(k)
P=namedtuple('P','phase base body nonce tries doubt')
S=namedtuple('S','man net procs log said copies faults pushes spurious')
IDLE=P('idle',None,None,None,0,False)
def run(cfg,name,**kw):
    gen=lambda m: m[2] if m else 0
    def made(base,kind,life,nonce,former=False):
        if former: return (kind,life,gen(base)+1,(),gen(base)+(kind=='T'))
        recent=(base[3] if base else ())+((nonce,gen(base)+1),); floor=base[4] if base else 0
        if len(recent)>cfg.table: floor=max(floor,recent[-cfg.table-1][1]); recent=recent[-cfg.table:]
        return (kind,life,gen(base)+1,recent,floor)
    first=made(None,'A','L','L') if cfg.used else None
    bag=lambda net,m: tuple(sorted(net+(m,),key=repr))
    def setp(s,i,p): return s.procs[:i]+(p,)+s.procs[i+1:]
    def said(s,i,r): return s._replace(said=s.said+((i,r),),procs=setp(s,i,s.procs[i]._replace(phase='done')))
    def send(s,i,base):
        p=s.procs[i]; n=f'{i}.{p.tries+1}'
        body=made(base,'T',base[1],n,i in cfg.former) if cfg.ops[i]=='delete' else made(base,'A',f'L{i}',n,i in cfg.former)
        return s._replace(net=bag(s.net,(i,base,body,n)),procs=setp(s,i,P('wait',base,body,n,p.tries+1,False)))
    def again(s,i,p,doubt): return s._replace(net=bag(s.net,(i,p.base,p.body,p.nonce)),procs=setp(s,i,p._replace(phase='wait',doubt=doubt)))
    def judge(s,i):  # of what is read after a refusal
        p=s.procs[i]; m=s.man; base=gen(p.base); delete=cfg.ops[i]=='delete'
        if m==p.base and cfg.repeat: return again(s,i,p,p.doubt)
        if cfg.rule=='name':
            if p.nonce in [e[0] for e in m[3]] or (cfg.own and not delete and m[1]==p.body[1]): return said(s,i,'OK')
            if p.doubt and m[2]!=base+1 and base+1<=m[4]: return said(s,i,'UNKNOWN')
        elif m[3][-1][0]==p.nonce: return said(s,i,'OK')
        elif p.doubt and m[2]>base+1: return said(s,i,'UNKNOWN')
        if delete: return send(s,i,m) if m[1]==p.body[1] and m[0]=='A' else said(s,i,'GONE')
        return said(s,i,'EXISTS') if m[0]=='A' else send(s,i,m)
    def succ(s):
        out=[]
        for i,op in enumerate(cfg.ops):
            p=s.procs[i]
            if p.phase=='idle':
                if op=='create': out.append((f'{i} create: sends, knows nothing',send(s,i,None)))
                elif s.man and s.man[0]=='A': out.append((f'{i} delete: reads gen {s.man[2]}, sends',send(s,i,s.man)))
            if p.phase=='wait' and s.faults>0: out.append((f'{i} {op}: no answer, repeats',again(s,i,p,True)._replace(faults=s.faults-1)))
            if p.phase=='reread' and p.tries<4: out.append((f'{i} {op}: reads {s.man}',judge(s,i)))
        for k,(i,base,body,nonce) in enumerate(s.net):
            t=s._replace(net=s.net[:k]+s.net[k+1:]); p=s.procs[i]
            waits=p.phase=='wait' and p.nonce==nonce
            if s.spurious>0 and waits: out.append((f'store: {nonce} refused, and still under way',s._replace(spurious=s.spurious-1,procs=setp(s,i,p._replace(phase='reread')))))
            if s.man==base:
                u=t._replace(man=body,log=s.log+(nonce,))
                if waits: out.append((f'store: {nonce} made',said(u,i,'OK')))
                if s.copies>0: out.append((f'store: {nonce} made; a copy is under way',u._replace(net=s.net,copies=s.copies-1)))
                if s.faults>0 or not waits: out.append((f'store: {nonce} made, nobody hears',u))
            else:
                if waits: out.append((f'store: {nonce} refused',t._replace(procs=setp(t,i,p._replace(phase='reread')))))
                if not waits: out.append((f'store: {nonce} refused, nobody hears',t))
        if s.pushes>0 and s.man and s.man[0]=='A':
            out.append(('a push',s._replace(man=made(s.man,'A',s.man[1],f'push{s.pushes}'),pushes=s.pushes-1)))
        return out
    def check(s):
        for i,r in s.said:
            if i in cfg.former: continue
            made=any(n.split('.')[0]==str(i) for n in s.log)
            if r=='OK' and not made: return f'{i} {cfg.ops[i]} is reported OK and was not made'
            if r in('GONE','EXISTS') and made: return f'{i} {cfg.ops[i]} is reported {r} and was made'
            if r=='UNKNOWN' and cfg.faults==0 and cfg.table==9: return f'{i} {cfg.ops[i]} is unknown though no answer was lost'
        lives=[n for n in s.log if cfg.ops[int(n.split('.')[0])]=='create'] if cfg.own else []
        if len({n.split('.')[0] for n in lives})<len(lives): return f'a repository was created twice: {lives}'
        return None
    init=S(first,(),tuple(IDLE for _ in cfg.ops),(),(),cfg.copies,cfg.faults,cfg.pushes,cfg.spurious)
    report(name,bfs(init,succ,check,**kw))
if __name__=='__main__':
    which=sys.argv[1:]
    def R(k,**c):
        if not which or k.split()[0] in which: run(Cfg(**c),k,tmax=300)
    R('N11 a refused write is in doubt only if an answer was lost',rule='doubt')
    R('N11b a name remembers its last writes',pushes=2)
    R('N11b ... answers lost as well',faults=1)
    R('N11b ... a name that was never used',used=False,ops=('create','create','delete','delete'))
    R('N11b ... no copies, two deletions',copies=0,pushes=3,ops=('delete','create','create','delete'))
    R('N11b ... refusals of what is still under way',copies=0,spurious=1,faults=1)
    R('N11b ... it remembers two, answers are lost',copies=0,faults=1,table=2)
    R('N11b ... others of an earlier version',copies=0,faults=1,former=(1,2))
    R('N11c a refusal that finds nothing changed counts as one',copies=0,spurious=1,faults=1,repeat=False)
    R('N11d it remembers one: a copied creation, and later writes before its answer: assumed not to happen',table=1,used=False,ops=('create','create','delete'))
    R('N11e ... and its own repository is not looked for',table=1,used=False,own=False,ops=('create','create','delete'))
