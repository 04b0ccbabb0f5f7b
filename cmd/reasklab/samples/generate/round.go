package main

import (
	"fmt"
	"strings"
	"time"
)

var (
	suppliers = []string{"Harrow Farm", "Blackthorn Dairy", "The Grain Barn", "Coldwater Press", "Two Rivers Produce", "Pennyroyal & Daughters"}
	places    = []string{"the Mill Café", "St Anne's School", "the Blue Heron", "the station kiosk", "Baker's Yard", "the Old Customs House", "Lindenhof Hotel",
		"the swimming hall", "Corner Pantry"}
	goods = []struct {
		name string
		unit thing
		key  string
		most int
	}{
		{"leeks", crate, "crate", 6}, {"apples", crate, "crate", 8}, {"beetroot", crate, "crate", 4}, {"plums", crate, "crate", 5},
		{"flour", sack, "sack", 6}, {"potatoes", sack, "sack", 9}, {"oats", sack, "sack", 3},
		{"cider", bottle, "bottle", 12}, {"rapeseed oil", bottle, "bottle", 6}, {"milk", bottle, "bottle", 12},
		{"eggs", box, "box", 10}, {"candles", box, "box", 3}, {"biscuits", box, "box", 7},
		{"butter", kilo, "kg", 12}, {"hard cheese", kilo, "kg", 8}, {"walnuts", kilo, "kg", 5},
	}
	crate, sack, bottle, box = thing{"crate", "crates"}, thing{"sack", "sacks"}, thing{"bottle", "bottles"}, thing{"box", "boxes"}
	kilo                     = thing{"kilo", "kilos"}

	departures = []string{
		"Round for {supplier}, {date}.", "{date}, driving for {supplier} today.", "Note for the office at {supplier}, about the round of {date}.",
	}
	firsts = []string{
		"First stop is {place} at {time}: {items}.", "I begin at {time} with {place}, which gets {items}.", "At {time} I am due at {place} with {items}.",
	}
	laters = []string{
		"At {time} I am due at {place}: {items}.", "{Place} comes next at {time} and gets {items}.", "Then {place}, where they wait for {items} at {time}.",
		"By {time} it is {place}, with {items} to carry in.",
	}
	farewells = []string{"That is all of it.", "After that the van is empty and I head home.", "Nothing else on the list.", ""}
)

type item struct {
	Name     string `json:"name"`
	Quantity int    `json:"quantity"`
	Unit     string `json:"unit"`
}

type visit struct {
	Place   string `json:"place"`
	Arrival string `json:"arrival"`
	Items   []item `json:"items"`
}

// round is a driver's note of the stops of a day.
func round(m *maker) (string, any) {
	supplier, day := one(m, suppliers), m.day()
	sentences := []string{fill(one(m, departures), "supplier", supplier, "date", said(m, day))}
	at := day.Add(6*time.Hour + time.Duration(15*m.IntN(8))*time.Minute)
	var stops []visit
	for i, place := range some(m, 1+m.IntN(3), places) {
		arrivals := laters
		if i == 0 {
			arrivals = firsts
		}
		var items []item
		var names []string
		for _, g := range some(m, 1+m.IntN(3), goods) {
			n := 1 + m.IntN(g.most)
			items = append(items, item{g.name, n, g.key})
			names = append(names, g.unit.counted(n)+" of "+g.name)
		}
		stop := visit{strings.TrimPrefix(place, "the "), at.Format("15:04"), items}
		stops = append(stops, stop)
		sentences = append(sentences, fill(one(m, arrivals), "time", stop.Arrival, "place", place, "Place", strings.ToUpper(place[:1])+place[1:],
			"items", listed(names)))
		at = at.Add(time.Duration(20+5*m.IntN(12)) * time.Minute)
	}
	text := strings.TrimSpace(strings.Join(append(sentences, one(m, farewells)), " "))
	return text, struct {
		Supplier string  `json:"supplier"`
		Date     string  `json:"date"`
		Stops    []visit `json:"stops"`
	}{supplier, day.Format(time.DateOnly), stops}
}

// listed joins words as a sentence does.
func listed(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return fmt.Sprintf("%s and %s", strings.Join(words[:last], ", "), words[last])
}
