// SPDX-License-Identifier: Apache-2.0

// Loads dashboards into Grafana's own types, which Grafana generates from its schemas: of the dashboard,
// of each kind of panel, and of the queries of Prometheus. A field that they lack, or a value of another
// type, is a fault. Prints the faults.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// found returns the error, unless it is a list of none, which the strict parsers return.
func found(err error) error {
	var list cog.BuildErrors
	if errors.As(err, &list) && len(list) == 0 {
		return nil
	}
	return err
}

func check(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var strict, loaded dashboard.Dashboard
	if err := found(strict.UnmarshalJSONStrict(content)); err != nil {
		return err
	}
	// The strict parser forgets panels.
	if err := json.Unmarshal(content, &loaded); err != nil {
		return err
	}
	if err := found(loaded.Validate()); err != nil {
		return err
	}
	panels, queries := 0, 0
	for _, each := range loaded.Panels {
		if each.Panel == nil {
			continue
		}
		panels++
		for _, target := range each.Panel.Targets {
			if _, ok := target.(*prometheus.Dataquery); !ok {
				return fmt.Errorf("panel %v: a query that is none of Prometheus: %T", *each.Panel.Id, target)
			}
			queries++
		}
	}
	fmt.Printf("%d panels, %d queries\n", panels, queries)
	return nil
}

func main() {
	plugins.RegisterDefaultPlugins()
	for _, file := range os.Args[1:] {
		if err := check(file); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
			os.Exit(1)
		}
	}
}
