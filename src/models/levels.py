from bfs import bfs, report
from collections import namedtuple
import sys
# ---------- L: refs in two levels. Refs 0 and 1; value 0 = there is none. base=(id,values), recent=(id,entries) or None;
# an entry is None (not in the table), 0 (a mark: deleted) or a value. man=(gen,base,recent,overlay), overlay of entries.
# f=folders, objs=objects in the store, p=process that looks up: (tables and overlay it has seen last, wrong answer),
# old=manifest of a backup, ack=values acknowledged last
S=namedtuple('S','man f objs p old ack n')
NONE=(None,None)
def over(upper,lower): return tuple(l if u is None else u for u,l in zip(upper,lower))
def level(b,r): return over(r[1] if r else NONE,b[1])
def view(m): return over(m[3],level(m[1],m[2]))
def ids(*tables): return {t[0] for t in tables if t}
def put(t,i,v): return t[:i]+(v,)+t[i+1:]
def model(name,rule='',folders=2,folds=1,pushes=3,maxg=6,values=((0,2),(2,)),reader=False,sweep=False,backup=False,**kw):
    init=S((1,('b0',(1,1)),None,NONE),(('idle',0),)*folders,frozenset(['b0']),(None,None),None,(1,1),0)
    def fold(m,kind,uid):
        """The levels after a fold of what a manifest has in its overlay."""
        _,b,r,ov=m
        if kind=='base': return (uid,view(m)),None
        e=over(ov,r[1] if r else NONE)
        if rule=='nomarks': e=tuple(x or None for x in e)
        return b,(uid,e)
    def same(a,b,kind):
        if rule=='recent' and kind=='recent': return a[2]==b[2]
        if rule=='base' and kind=='base': return a[1]==b[1]
        return a[1:3]==b[1:3]
    def express(frm,now,nb,nr):
        """Overlay on new levels: looks at the names that the two overlays differ in."""
        there=nb[1] if rule=='tobase' else level(nb,nr); v=view(now)
        return tuple(None if frm[3][i]==now[3][i] or v[i]==there[i] else v[i] for i in (0,1))
    def succ(s):
        out=[]; g,b,r,ov=m=s.man
        if s.n<pushes and g<maxg:
            for i in (0,1):
                for v in {1,*values[i]}-{s.ack[i]}:
                    e=None if v==level(b,r)[i] else v
                    out.append((f'push: sets ref {i} to {v} (gen {g+1})',s._replace(man=(g+1,b,r,put(ov,i,e)),ack=put(s.ack,i,v),n=s.n+1)))
        for i,c in enumerate(s.f):
            def F(x,**k): return s._replace(f=put(s.f,i,x),**k)
            if c[0]=='idle' and c[1]<folds and (ov!=NONE or r):
                for kind in ('recent','base'):
                    if ov==NONE and kind=='recent': continue
                    uid=f'{kind[0]}{i}.{c[1]}'; nb,nr=fold(m,kind,uid)
                    out.append((f'F{i}: reads gen {g}, uploads {uid}={(nr or nb)[1]}',F(('up',c[1],m,kind,nb,nr),objs=s.objs|{uid})))
            elif c[0]=='up':
                _,k,frm,kind,nb,nr=c; me=(nr or nb)[0]; end=('idle',k+1)
                if not same(frm,m,kind): out.append((f'F{i}: {me} is too late, deletes it',F(end,objs=s.objs-{me})))
                elif g<maxg:
                    keep=b if kind=='recent' else nb
                    out.append((f'F{i}: lists {me} (gen {g+1})',F(end,man=(g+1,keep,nr,express(frm,m,keep,nr)))))
        if sweep:
            safe=ids(b) if rule=='oldsweep' else ids(b,r)
            safe|={(c[5] or c[4])[0] for c in s.f if c[0]=='up'}  # minted after the boundary
            for o in sorted(s.objs-safe): out.append((f'sweep: deletes {o}',s._replace(objs=s.objs-{o})))
        if backup:
            if s.old is None: out.append((f'backup: copies the manifest, gen {g}',s._replace(old=m)))
            elif s.old!='done' and g<maxg and ids(*s.old[1:3])<=s.objs:
                _,ob,orr,oov=s.old
                nb=('b+',ob[1]); nr=('r+',orr[1]) if orr else None
                if rule=='restorebase': nr=None
                if rule=='keeprecent': nr=r
                out.append((f'restore: copies {sorted(ids(ob,orr))} to fresh names (gen {g+1})',
                    s._replace(man=(g+1,nb,nr,oov),objs=s.objs|ids(nb,nr),old='done',ack=view(s.old))))
        if reader:
            got=look(s.p[0],m,s.objs)
            if got:
                t,how=got; a=view((g,)+t)
                out.append((f'P: looks up at gen {g}, {how}',s._replace(p=(t,None if a==s.ack else a))))
        return out
    def look(seen,m,objs):
        """The tables of a manifest: those that are held, derived from those and the overlay seen last, or read."""
        g,b,r,ov=m; hb,hr,hov=seen or (None,None,NONE); how=[]
        def of(want,held,made):
            if want is None or want==held: return want
            if made==want[1]: how.append('derives '+want[0]); return want   # proven by its bytes
            how.append('reads '+want[0]); return want if want[0] in objs else 'gone'
        nr=of(r,hr,hb and over(hov,hr[1] if hr else NONE))
        if rule=='oldbase' and nr and hb and nr!=hr: nb=hb
        else: nb=of(b,hb,hb and over(hov,level(hb,hr)))
        return None if 'gone' in (nb,nr) else ((nb,nr,ov),', '.join(how) or 'has all')  # gone: validates again
    def check(s):
        if view(s.man)!=s.ack: return f'the refs are {view(s.man)}, acknowledged were {s.ack}'
        gone=ids(*s.man[1:3])-s.objs
        if gone: return f'the manifest lists {sorted(gone)[0]}, which was deleted'
        if s.p[1]: return f'a look-up finds {s.p[1]}, the refs are {view(s.man)}'
    report(name,bfs(init,succ,check,**kw))
CASES={
 'L1':lambda:model('L1 a fold into recent compares recent alone with what it began with','recent',maxg=7),
 'L2':lambda:model('L2 a fold into the base compares the base alone with what it began with','base',folds=2,maxg=7),
 'L3':lambda:model('L3 recent has no marks for deleted refs','nomarks'),
 'L4':lambda:model('L4 a fold keeps in the overlay what differs from the base','tobase'),
 'L5':lambda:model('L5 a derived recent table is laid on the base that is held','oldbase',values=((2,),(2,)),reader=True,maxg=7),
 'L6':lambda:model('L6 a sweep goes by the base alone, as a version without levels would','oldsweep',sweep=True),
 'L7':lambda:model('L7 a restore brings back the base alone','restorebase',backup=True),
 'L8':lambda:model('L8 a restore lays the recent table of now on an old base','keeprecent',backup=True),
 'L9':lambda:model('L9 FIX both levels are compared, marks kept: pushes, two folders that fold twice, a sweep and a restore',folds=2,sweep=True,backup=True,tmax=300),
 'L10':lambda:model('L10 FIX a process that derives or reads each level, beside pushes, two folders that fold twice and a sweep',folds=2,reader=True,sweep=True,values=((0,),(2,)),tmax=300),
}
for c in sys.argv[1:] or CASES: CASES[c]()
