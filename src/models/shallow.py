from bfs import bfs, report
from collections import namedtuple
# A ref leads to a commit c, whose parent is p. c is in pack 0 always; p is in packs, each (name, garbage).
# man=(gen, packs with p, shallow, bitmap, dropped): shallow: c is where the history ends;
# bitmap: packs of a collection say what c leads to: None (there are none), 0 (c alone), 1 (c and p).
S=namedtuple('S','man nid f gc cuts')
def model(name,after,nobitmap,gccheck,fcheck,full=0,maxg=8,**kw):
    init=S((1,frozenset([(0,0)]) if full else frozenset(),0 if full else 1,None,0),1,None,None,2)
    def succ(s):
        out=[]; g,P,sh,bm,dr=s.man
        if g>=maxg: return out
        # another fetch with a depth makes c shallow
        if not sh and s.f is None and s.cuts:
            out.append((f'depth-1 fetch: c is shallow (gen {g+1})',s._replace(man=(g+1,P,1,bm,dr),cuts=s.cuts-1)))
        # a fetch that completes the history
        if s.f is None and sh:
            if after:
                if s.nid<5: out.append((f'unshallow: lists a pack with p (gen {g+1})',s._replace(man=(g+1,P|{(s.nid,0)},sh,bm,dr),nid=s.nid+1,f=('pack',))))
                if P: out.append((f'unshallow: p is there, no pack is needed',s._replace(f=('pack',))))
            else: out.append((f'unshallow: c is shallow no more (gen {g+1})',s._replace(man=(g+1,P,0,bm,dr),f=('told',))))
        elif s.f==('told',):
            if s.nid<5: out.append((f'unshallow: lists a pack with p (gen {g+1})',s._replace(man=(g+1,P|{(s.nid,0)},sh,bm,dr),nid=s.nid+1,f=None)))
            out.append(('unshallow: the connection breaks',s._replace(f=('broken',))))
        elif s.f==('pack',):
            if P: out.append((f'unshallow: looks, p is listed at gen {g}',s._replace(f=('seen',g))))
            else: out.append(('unshallow: p is missing, c stays shallow',s._replace(f=None)))
        elif s.f is not None and s.f[0]=='seen':
            if fcheck and dr>s.f[1]: out.append(('unshallow: objects were dropped since, looks again',s._replace(f=('pack',))))
            else: out.append((f'unshallow: c is shallow no more (gen {g+1})',s._replace(man=(g+1,P,0,bm,dr),f=None)))
        if s.gc is None: out.append((f'GC: starts at gen {g}: shallow={sh}, p in {sorted(P)}, bitmap={bm}',s._replace(gc=s.man)))
        else:
            _,P0,sh0,bm0,_=s.gc
            if not P0<=P: out.append(('GC: inputs gone, gives up',s._replace(gc=None)))
            else:
                reaches=bm0 if bm0 is not None else not sh0   # a bitmap is believed
                new=frozenset(); drops=False; keep=P0
                if P0 and (reaches or any(not x[1] for x in P0)): new=frozenset([(s.nid,0 if reaches else 1)]); keep=frozenset()
                elif P0: drops=True; keep=frozenset()
                if drops and gccheck and sh0 and not sh:
                    drops=False; keep=P0
                b=None if nobitmap and (sh0 or sh) else (1 if reaches else 0)
                if s.nid<5: out.append((f'GC: commits {sorted(new)} replacing {sorted(P0-keep)}{" DROPPING p" if drops else ""}, bitmap={b} (gen {g+1})',
                    s._replace(man=(g+1,(P-P0)|keep|new,sh,b,g+1 if drops else dr),nid=s.nid+1,gc=None)))
        return out
    def check(s):
        g,P,sh,bm,dr=s.man
        if sh or s.f==('told',): return None
        if not P: return 'history leads to p, which no listed pack contains'
        if bm==0: return 'a bitmap says that the history ends at c: no clone gets p'
    report(name,bfs(init,succ,check,**kw))
model('H0 as is: told at once, bitmaps of a shallow repository, nothing looked at again',False,False,False,False)
model('H1 shallow no more once the parent is listed; bitmaps of a shallow repository',True,False,True,True)
model('H2 no such bitmaps, the collection drops what the change has made reachable',True,True,False,True,full=1)
model('H3 no such bitmaps, the fetch does not look again',True,True,True,False,full=1)
model('H4 FIX all',True,True,True,True)
model('H4b FIX all, from a full history',True,True,True,True,full=1)
