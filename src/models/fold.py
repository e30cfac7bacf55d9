from bfs import bfs, report
from collections import namedtuple
# ---------- C5: what a fold that was not committed may delete. man=(gen, snapshot), objs=objects in the store,
# f=folders, late=copies of conditional writes under way: (gen they follow, snapshot)
S=namedtuple('S','man objs f late')
def model(name,rule,n=2,folds=2,maxg=5,**kw):
    init=S((1,'s0'),frozenset(['s0']),(('idle',0),)*n,frozenset())
    def succ(s):
        out=[]; g,snap=s.man
        def F(i,v,**k): return s._replace(f=s.f[:i]+(v,)+s.f[i+1:],**k)
        for w in s.late:                                    # a copy arrives at any time
            rest=s.late-{w}
            if w[0]==g and g<maxg: out.append((f'store: a late write lists {w[1]} (gen {g+1})',s._replace(man=(g+1,w[1]),late=rest)))
            elif w[0]!=g: out.append((f'store: a late write of {w[1]} is refused',s._replace(late=rest)))
        for i,c in enumerate(s.f):
            if c[0]=='idle' and c[1]<folds:
                me=f's{i}.{c[1]}'
                out.append((f'F{i}: reads gen {g}, uploads {me}',F(i,('up',c[1],g,me),objs=s.objs|{me})))
            elif c[0] in('up','doubt'):
                _,k,b,me=c; end=('idle',k+1); gone=s.objs-{me}
                lost=c[0]=='up' or rule=='repeat'            # a repetition may be refused because the first was applied
                if b==g and g<maxg: out.append((f'F{i}: write lists {me} (gen {g+1}), answered',F(i,end,man=(g+1,me))))
                if b==g and g<maxg: out.append((f'F{i}: write lists {me} (gen {g+1}), answer lost',F(i,('doubt',k,b,me),man=(g+1,me))))
                if len(s.late)<2: out.append((f'F{i}: write of {me} is under way, no answer',F(i,('doubt',k,b,me),late=s.late|{(b,me)})))
                if b!=g and lost: out.append((f'F{i}: write of {me} is refused, deletes it',F(i,end,objs=gone)))
                if b!=g and not lost:                       # looks who wrote generation b+1
                    if snap==me: out.append((f'F{i}: finds its own write',F(i,end)))
                    else: out.append((f'F{i}: finds that {me} can never be listed, deletes it',F(i,end,objs=gone)))
                if c[0]=='doubt':
                    out.append((f'F{i}: gives up, in doubt',F(i,end,objs=gone if rule=='any' else s.objs)))
        return out
    def check(s):
        if s.man[1] not in s.objs: return f'the manifest lists {s.man[1]}, which was deleted'
    report(name,bfs(init,succ,check,**kw))
model('C5a a fold that gives up in doubt deletes its snapshot','any')
model('C5b a refused repetition counts as a defeat','repeat')
model('C5 FIX deletes only what was refused for good, found out as by the commit loop','refused')
