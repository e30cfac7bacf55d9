# Commit protocol: which refusals are certain. One value; a manifest is (gen, val, recent, floor), where
# recent holds (nonce, gen) of the last batches of other writers and floor is prunedTo; a tombstone is
# ('T', gen, recent, floor, later), where later says that the name has been used again since.
from bfs import bfs, report
from collections import namedtuple
import sys
class Cfg:
    def __init__(s, **k):
        s.ops={'W':('cas',0,1),'V':('cas',1,0)}
        s.judge='doubt'      # trace pruned: 'always' unknown | 'doubt' unknown if an attempt is in doubt | 'never'
        s.table=1            # batches that a manifest remembers
        s.strangers=2        # commits of further writers
        s.faults=2           # answers that get lost
        s.copies=0           # copies that the way makes of a request, unasked; any answer may reach the sender
        s.conflicts=0        # answers 409
        s.conflict='repeat'  # 409: 'doubt' | 'repeat' the same bytes, not in doubt | 'rebase' at once
        s.deadline=None      # 'safe': not done only if refused and not in doubt | 'eager': if not in doubt
        s.admin=0
        s.kept=True          # what a manifest remembers stays with the name: in a tombstone, and in what follows it
        s.__dict__.update(k)
W=namedtuple('W','phase base body nonce batch attempt doubt')
S=namedtuple('S','man net writers log replies faults conflicts strangers admin')
IDLE=W('idle',None,None,None,0,0,False)
def run(cfg,name,**kw):
    first=(1,0,(),0)
    init=S(first,(),tuple((n,IDLE) for n in sorted(cfg.ops)),(),(),cfg.faults,cfg.conflicts,cfg.strangers,cfg.admin)
    def valid(op,man): return man[0]!='T' and (op[0]=='set' or man[1]==op[1])
    def commit(man,val,nonce):
        recent=sorted(man[2]+((nonce,man[0]+1),),key=lambda e:e[1])
        floor=max([man[3]]+[e[1] for e in recent[:max(0,len(recent)-cfg.table)]])
        return (man[0]+1,val,tuple(e for e in recent if e[1]>floor),floor)
    def net(s,*m): return tuple(sorted(s.net+m,key=repr))
    def setw(s,n,w): return tuple((a,w if a==n else b) for a,b in s.writers)
    def said(s,n,r): return s._replace(replies=s.replies+((n,r),),writers=setw(s,n,IDLE._replace(phase='done')))
    def send(s,n,w):
        batch=w.batch+1; nonce=f'{n}.{batch}'; op=cfg.ops[n]
        body=commit(s.man,op[-1],nonce)
        m=[(n,batch,0,s.man,body,True)]+[(n,batch,0,s.man,body,True)]*cfg.copies
        return s._replace(net=net(s,*m),writers=setw(s,n,W('wait',s.man,body,nonce,batch,0,False)))
    def again(s,n,w,doubt):
        m=(n,w.batch,w.attempt+1,w.base,w.body,True)
        return s._replace(net=net(s,m),writers=setw(s,n,w._replace(attempt=w.attempt+1,doubt=w.doubt or doubt,phase='wait')))
    def succ(s):
        out=[]
        for n,w in s.writers:
            op=cfg.ops[n]
            if w.phase=='idle' and valid(op,s.man):
                out.append((f'{n}: reads gen {s.man[0]}, sends {n}.{w.batch+1}',send(s,n,w)))
            if w.phase=='wait' and s.faults>0:
                t=s._replace(faults=s.faults-1)
                out.append((f'{n}: no answer, repeats the same bytes',again(t,n,w,True)))
                out.append((f'{n}: deadline without an answer -> UNKNOWN',said(t,n,'UNKNOWN')))
            if w.phase=='wait' and cfg.deadline and w.attempt>0:
                r='NOT DONE' if cfg.deadline=='eager' and not w.doubt else 'UNKNOWN'
                out.append((f'{n}: deadline after an attempt -> {r}',said(s,n,r)))
            if w.phase=='reread':
                if cfg.deadline:
                    r='UNKNOWN' if w.doubt else 'NOT DONE'
                    out.append((f'{n}: refused, deadline -> {r}',said(s,n,r)))
                man=s.man
                if man[0]=='T':
                    r='OK' if w.nonce in [e[0] for e in man[2]] else 'UNKNOWN' if w.doubt and man[1]!=w.base[0]+1 and w.base[0]+1<=man[3] else 'GONE'
                    out.append((f'{n}: rereads a tombstone -> {r}',said(s,n,r)))
                elif w.nonce in [e[0] for e in man[2]]:
                    out.append((f'{n}: rereads gen {man[0]}, finds {w.nonce} -> OK',said(s,n,'OK')))
                elif w.base[0]+1<=man[3] and (cfg.judge=='always' or cfg.judge=='doubt' and w.doubt):
                    out.append((f'{n}: rereads gen {man[0]}, its trace may be pruned -> UNKNOWN',said(s,n,'UNKNOWN')))
                elif valid(op,man):
                    out.append((f'{n}: rereads gen {man[0]}, sends {n}.{w.batch+1}',send(s,n,w)))
                else:
                    out.append((f'{n}: rereads gen {man[0]} val {man[1]} -> FAIL',said(s,n,'FAIL')))
        for i,m in enumerate(s.net):
            n,batch,attempt,base,body,answers=m
            t=s._replace(net=s.net[:i]+s.net[i+1:])
            w=dict(s.writers)[n]
            awaited=answers and w.phase=='wait' and w.batch==batch and w.attempt==attempt
            if s.conflicts>0 and awaited:
                u=t._replace(conflicts=s.conflicts-1)
                if cfg.conflict=='rebase':
                    if valid(cfg.ops[n],s.man): out.append((f'store: {n}.{batch} -> 409, proposes anew',send(u,n,w)))
                else: out.append((f'store: {n}.{batch} -> 409, repeats the same bytes',again(u,n,w,cfg.conflict=='doubt')))
            if s.man==base:
                t=t._replace(man=body,log=s.log+(n,))
                if awaited: out.append((f'store: {n}.{batch} -> 200, OK; gen {body[0]} val {body[1]}',said(t,n,'OK')))
                if cfg.faults or not answers or not awaited: out.append((f'store: {n}.{batch} applied, nobody hears; gen {body[0]} val {body[1]}',t))
                elif cfg.copies: out.append((f'store: {n}.{batch} applied, the way repeats it; gen {body[0]}',t))
            else:
                if awaited: out.append((f'store: {n}.{batch} -> 412 to {n}',t._replace(writers=setw(t,n,w._replace(phase='reread')))))
                if cfg.faults or not awaited: out.append((f'store: {n}.{batch} -> 412, nobody hears',t))
        if s.strangers>0 and s.man[0]!='T':
            k=cfg.strangers-s.strangers
            for val in (s.man[1],) if k else {s.man[1],0}:
                out.append((f'stranger commits gen {s.man[0]+1} val {val}',s._replace(man=commit(s.man,val,f'S{k}'),strangers=s.strangers-1,log=s.log+((('S',val),)))))
        if s.admin>0 and s.man[0]!='T':
            out.append(('admin: tombstone',s._replace(man=('T',s.man[0]+1,)+(s.man[2:] if cfg.kept else ((),s.man[0]+1))+(False,),admin=s.admin-1,log=s.log+('DEL',))))
        elif s.man[0]=='T' and s.man[1]<5:
            out.append(('admin: tombstone again, of a later life',s._replace(man=('T',s.man[1]+1,)+(s.man[2:4] if cfg.kept else ((),s.man[1]+1))+(True,))))
        return out
    def check(s):
        said=dict(s.replies); cur=0
        for e in s.log:
            if e=='DEL': cur=None
            elif isinstance(e,tuple): cur=e[1]
            else:
                if s.log.count(e)>1: return f'{e} applied twice: {s.log} {s.replies}'
                if said.get(e) in ('FAIL','GONE','NOT DONE'): return f'{e} reported {said[e]} but applied: {s.log}'
                op=cfg.ops[e]
                if op[0]=='cas' and cur!=op[1]: return f'{e} applied on {cur}: {s.log}'
                cur=op[-1]
        for n,r in s.replies:
            if r=='OK' and n not in s.log: return f'{n} reported OK but never applied'
            if r=='UNKNOWN' and cfg.faults==0 and not cfg.deadline: return f'{n} is unknown though no answer was lost'
        return None
    r=bfs(init,succ,check,**kw); report(name,r,'with '+', '.join([f'{n}: set {op[1] if op[0]=="cas" else "any"} {op[-1]}' for n,op in sorted(cfg.ops.items())]+[f'table of {cfg.table}'])); return r
if __name__=='__main__':
    which=sys.argv[1:]
    def R(key,name,**k):
        if not which or key in which: run(Cfg(**k),key+' '+name)
    R('A14','more writers than a manifest remembers, no answer lost: prunedTo asked of every refusal',judge='always',faults=0)
    R('A14','FIX asked only of a write of which an attempt is in doubt, no answer lost',faults=0)
    R('A14','FIX with lost answers, late writes, tombstones',admin=1)
    R('A14','FIX with a forced update',ops={'W':('set',1),'V':('cas',1,0)})
    R('A14b','never asked',judge='never')
    R('A14c','FIX the way copies requests, the trace is there',copies=1,table=9,admin=0)
    R('A14d','... and the trace is pruned: assumed not to happen',copies=1)
    R('A15','409 counts as doubt, no answer lost',conflict='doubt',conflicts=1,faults=0)
    R('A15','FIX 409 repeats the same bytes and is no doubt, no answer lost',conflicts=1,faults=0)
    R('A15','FIX with lost answers, late writes, tombstones',conflicts=1,admin=1)
    R('A15b','409 proposed anew on the same base, though an attempt is in doubt',conflict='rebase',conflicts=1)
    R('A16','FIX deadline after a refusal without doubt: not done',deadline='safe',conflicts=1)
    R('A16b','... any deadline called not done while no answer was lost, the way copies requests',deadline='eager',conflicts=1,copies=1,table=9)
