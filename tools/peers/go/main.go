// iceberg-go: METADATA.json; entries and rows of the current snapshot, with all statistics.
package main

import (
	"fmt"
	"os"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	fail(err)
	metadata, err := table.ParseMetadataBytes(text)
	fail(err)
	files := iceio.LocalFS{}
	manifests, err := metadata.CurrentSnapshot().Manifests(files)
	fail(err)
	var entries, rows int64
	statistics := 0
	for _, manifest := range manifests {
		found, err := manifest.FetchEntries(files, true)
		fail(err)
		for _, entry := range found {
			file := entry.DataFile()
			entries++
			rows += file.Count()
			statistics += len(file.ColumnSizes()) + len(file.ValueCounts()) + len(file.LowerBoundValues()) + len(file.UpperBoundValues())
		}
	}
	fmt.Println(entries, rows, statistics)
}
