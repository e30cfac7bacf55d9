// SPDX-License-Identifier: Apache-2.0

// history-check FILE... judges what clients did to groups of refs.
//
// One line for each begin and each end of an operation, in any order of files:
//
//	begin ID TIME GROUP write NAME=OLD:NEW...
//	begin ID TIME GROUP read NAME...
//	end ID TIME ok [NAME=VALUE...]
//	end ID TIME refused
//	end ID TIME unknown
//
// A missing ref has the value "-". TIME is one clock of the machine. An operation without an end, or
// with the end "unknown", may have happened at any time after its beginning, or never. A line without
// its newline is what a killed client left, and counts as not written.
//
// Exits 0 if every group is linearizable, 1 after printing the smallest history found that is not,
// 2 for bad input, 3 if a group could not be decided in time.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

const missing = "-"

type change struct{ name, old, new string }

type operation struct {
	id         string
	group      string
	write      bool
	changes    []change
	values     map[string]string
	begin, end int64
	outcome    string
	lines      []string
}

func parse(line string, operations map[string]*operation, ends map[string][]string) error {
	words := strings.Fields(line)
	if len(words) < 4 {
		return errors.New("too few words")
	}
	at, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return errors.New("no time: " + words[2])
	}
	id := words[1]
	switch words[0] {
	case "begin":
		if len(words) < 6 || operations[id] != nil {
			return errors.New("no refs, or a second begin of " + id)
		}
		op := &operation{id: id, group: words[3], write: words[4] == "write",
			begin: at, end: math.MaxInt64, outcome: "unknown", lines: []string{line}}
		if !op.write && words[4] != "read" {
			return errors.New("neither read nor write: " + words[4])
		}
		for _, word := range words[5:] {
			name, values, ok := strings.Cut(word, "=")
			old, new, both := strings.Cut(values, ":")
			if op.write && !(ok && both) {
				return errors.New("not NAME=OLD:NEW: " + word)
			}
			op.changes = append(op.changes, change{name, old, new})
		}
		operations[id] = op
	case "end":
		switch words[3] {
		case "ok", "refused", "unknown":
		default:
			return errors.New("no outcome: " + words[3])
		}
		if ends[id] != nil {
			return errors.New("a second end of " + id)
		}
		ends[id] = append(words, line)
	default:
		return errors.New("neither begin nor end: " + words[0])
	}
	return nil
}

func finish(op *operation, words []string) error {
	line := words[len(words)-1]
	op.outcome = words[3]
	op.lines = append(op.lines, line)
	if op.outcome == "unknown" {
		return nil
	}
	op.end, _ = strconv.ParseInt(words[2], 10, 64)
	if op.end < op.begin {
		return errors.New("ends before it begins: " + op.id)
	}
	if op.write || op.outcome != "ok" {
		return nil
	}
	op.values = map[string]string{}
	for _, word := range words[4 : len(words)-1] {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return errors.New("not NAME=VALUE: " + word)
		}
		op.values[name] = value
	}
	for _, c := range op.changes {
		if _, ok := op.values[c.name]; !ok {
			return errors.New("a read without a value of " + c.name + ": " + op.id)
		}
	}
	return nil
}

func load(files []string) (map[string][]*operation, int, error) {
	operations := map[string]*operation{}
	ends := map[string][]string{}
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			return nil, 0, err
		}
		reader := bufio.NewReader(in)
		for number := 1; ; number++ {
			line, err := reader.ReadString('\n')
			if err == io.EOF {
				break
			}
			if err == nil {
				err = parse(strings.TrimSuffix(line, "\n"), operations, ends)
			}
			if err != nil {
				return nil, 0, fmt.Errorf("%s:%d: %w", file, number, err)
			}
		}
		in.Close()
	}
	for id, words := range ends {
		op := operations[id]
		if op == nil {
			return nil, 0, errors.New("an end without a begin: " + id)
		}
		if err := finish(op, words); err != nil {
			return nil, 0, err
		}
	}
	groups := map[string][]*operation{}
	for _, op := range operations {
		// What was refused has no effect; if it was applied, a read or a write that expects its
		// value cannot be explained. A read without an answer says nothing.
		if op.outcome == "refused" || (!op.write && op.outcome != "ok") {
			continue
		}
		groups[op.group] = append(groups[op.group], op)
	}
	for _, group := range groups {
		sort.Slice(group, func(i, j int) bool { return group[i].begin < group[j].begin })
	}
	return groups, len(operations), nil
}

// A state is the sorted "name=value " of the refs that exist.
func value(state, name string) string {
	for _, word := range strings.Fields(state) {
		if n, v, _ := strings.Cut(word, "="); n == name {
			return v
		}
	}
	return missing
}

func apply(state string, changes []change) (string, bool) {
	refs := map[string]string{}
	for _, word := range strings.Fields(state) {
		n, v, _ := strings.Cut(word, "=")
		refs[n] = v
	}
	for _, c := range changes {
		if value(state, c.name) != c.old {
			return state, false
		}
		if c.new == missing {
			delete(refs, c.name)
		} else {
			refs[c.name] = c.new
		}
	}
	words := []string{}
	for n, v := range refs {
		words = append(words, n+"="+v)
	}
	sort.Strings(words)
	return strings.Join(words, " "), true
}

func step(state, input, _ interface{}) []interface{} {
	op := input.(*operation)
	if !op.write {
		for name, v := range op.values {
			if value(state.(string), name) != v {
				return nil
			}
		}
		return []interface{}{state}
	}
	after, fits := apply(state.(string), op.changes)
	switch {
	case op.outcome == "ok" && fits:
		return []interface{}{after}
	case op.outcome == "ok":
		return nil
	case fits:
		return []interface{}{state, after}
	default:
		return []interface{}{state}
	}
}

// A place is a ref with one of its values.
type place struct{ name, value string }

// evidence is what a group says of places.
type evidence struct {
	makers   map[place][]*operation // writes that may set the ref to the value
	mentions map[place]int          // operations that name both, as a value before, after or read
	seen     map[place]int64        // first end of an operation that certainly found the value
	looks    map[string][]*operation
}

// found is the value that an operation certainly found at a ref.
func (op *operation) found(name string) (string, bool) {
	if !op.write {
		v, ok := op.values[name]
		return v, ok
	}
	for _, c := range op.changes {
		if c.name == name && op.outcome == "ok" {
			return c.old, true
		}
	}
	return "", false
}

func evidenceOf(group []*operation) evidence {
	e := evidence{map[place][]*operation{}, map[place]int{}, map[place]int64{}, map[string][]*operation{}}
	for _, op := range group {
		mentioned := map[place]bool{}
		for _, c := range op.changes {
			if op.write {
				mentioned[place{c.name, c.old}], mentioned[place{c.name, c.new}] = true, true
				made := place{c.name, c.new}
				e.makers[made] = append(e.makers[made], op)
			}
			if v, ok := op.found(c.name); ok {
				at := place{c.name, v}
				mentioned[at] = true
				if first, ok := e.seen[at]; !ok || op.end < first {
					e.seen[at] = op.end
				}
				e.looks[c.name] = append(e.looks[c.name], op)
			}
		}
		for at := range mentioned {
			e.mentions[at]++
		}
	}
	return e
}

// gone is a time after which a ref cannot have a value: it was found to have another when all that
// may set it had ended. Never if none may set it.
func (e evidence) gone(at place) int64 {
	last := int64(math.MinInt64)
	for _, op := range e.makers[at] {
		if op.end > last {
			last = op.end
		}
	}
	if last == math.MinInt64 {
		return last
	}
	time := int64(math.MaxInt64)
	for _, op := range e.looks[at.name] {
		if v, _ := op.found(at.name); v != at.value && op.begin >= last && op.end < time {
			time = op.end
		}
	}
	return time
}

// limit bounds a write of unknown outcome, or tells that it can be left out, and no history becomes
// right or wrong by that:
//   - one whose value was found, and which no other write sets, happened before that;
//   - one of a single ref, whose value no other operation names, is followed by nothing that looks at
//     the ref: it may as well not have happened;
//   - one that expects a value has no effect once the ref cannot have it any more.
func (e evidence) limit(op *operation) (limited *operation, changed bool) {
	for _, c := range op.changes {
		made := place{c.name, c.new}
		if c.new == missing || len(e.makers[made]) != 1 {
			continue
		}
		if end, ok := e.seen[made]; ok && end >= op.begin {
			known := *op
			known.end, known.outcome = end, "ok"
			return &known, true
		}
		if len(op.changes) == 1 && e.mentions[made] == 1 {
			return nil, true
		}
	}
	for _, c := range op.changes {
		if c.old == missing {
			continue
		}
		if end := e.gone(place{c.name, c.old}); end < op.begin {
			return nil, true
		} else if end < op.end {
			ended := *op
			ended.end = end
			return &ended, true
		}
	}
	return op, false
}

// bounded limits the writes of unknown outcome as far as the others tell: each that may happen at
// any time doubles the states that have to be tried.
func bounded(group []*operation) []*operation {
	for again := true; again; {
		again = false
		e := evidenceOf(group)
		rest := []*operation{}
		for _, op := range group {
			if op.write && op.outcome == "unknown" {
				limited, changed := e.limit(op)
				again = again || changed
				op = limited
			}
			if op != nil {
				rest = append(rest, op)
			}
		}
		group = rest
	}
	return group
}

// plain judges writes of unknown outcome as they are, which takes for ever if there are many.
var plain = flag.Bool("plain", false, "leave the writes of unknown outcome unbounded")

func check(group []*operation, timeout time.Duration) porcupine.CheckResult {
	if !*plain {
		group = bounded(group)
	}
	model := porcupine.NondeterministicModel{
		Init: func() []interface{} { return []interface{}{""} },
		Step: step,
	}
	history := []porcupine.Operation{}
	for i, op := range group {
		history = append(history, porcupine.Operation{ClientId: i, Input: op, Call: op.begin, Return: op.end})
	}
	return porcupine.CheckOperationsTimeout(model.ToModel(), history, timeout)
}

// prefix is what had been seen at that time: writes that had not ended may have happened.
func prefix(group []*operation, at int64) []*operation {
	seen := []*operation{}
	for _, op := range group {
		if op.end <= at {
			seen = append(seen, op)
		} else if op.write && op.begin <= at {
			open := *op
			open.end, open.outcome = math.MaxInt64, "unknown"
			seen = append(seen, &open)
		}
	}
	return seen
}

// smallest ends the history at the first answer that cannot be explained, and leaves out reads that
// are not needed for that. Leaving out a write could make a right history wrong, so all stay.
func smallest(group []*operation, timeout time.Duration) []*operation {
	times := []int64{}
	for _, op := range group {
		if op.end != math.MaxInt64 {
			times = append(times, op.end)
		}
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	first := sort.Search(len(times), func(i int) bool {
		return check(prefix(group, times[i]), timeout) == porcupine.Illegal
	})
	if first < len(times) {
		group = prefix(group, times[first])
	}
	for i := len(group) - 1; i >= 0; i-- {
		if group[i].write {
			continue
		}
		fewer := append(append([]*operation{}, group[:i]...), group[i+1:]...)
		if check(fewer, timeout) == porcupine.Illegal {
			group = fewer
		}
	}
	return group
}

func main() {
	timeout := flag.Duration("timeout", time.Minute, "time for one group")
	flag.Parse()
	groups, count, err := load(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "history-check:", err)
		os.Exit(2)
	}
	names := []string{}
	for name := range groups {
		names = append(names, name)
	}
	sort.Strings(names)
	anomalies, undecided := 0, 0
	for _, name := range names {
		switch check(groups[name], *timeout) {
		case porcupine.Illegal:
			anomalies++
			fmt.Println("anomaly in", name)
			for _, op := range smallest(groups[name], *timeout) {
				for _, line := range op.lines {
					fmt.Println("  " + line)
				}
			}
		case porcupine.Unknown:
			undecided++
			fmt.Println("undecided:", name)
		}
	}
	fmt.Printf("%d operations, %d groups, %d anomalies, %d undecided\n", count, len(groups), anomalies, undecided)
	switch {
	case anomalies > 0:
		os.Exit(1)
	case undecided > 0:
		os.Exit(3)
	}
}
