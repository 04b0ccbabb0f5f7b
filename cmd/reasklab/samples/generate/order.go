package main

import (
	"fmt"
	"strings"
	"time"
)

var (
	given = []string{"Amalia", "Bertrand", "Chidi", "Dorothea", "Emeka", "Farida", "Gustav", "Hanneke", "Ilse", "Jonas", "Katrin", "Lucian", "Mirela",
		"Noor", "Oskar", "Petra", "Quentin", "Rosalind", "Sanjay", "Tamsin", "Ulrich", "Viola", "Wanda", "Yusuf", "Zoltan"}
	family = []string{"Abernathy", "Brandt", "Castellan", "Dufresne", "Eklund", "Farquhar", "Grimaldi", "Holloway", "Ivarsson", "Jankowski", "Kestrel",
		"Lindqvist", "Marchetti", "Novak", "Okonjo", "Pereira", "Rasmussen", "Santoro", "Thackeray", "Underhill", "Vandermeer", "Whitlock"}
	houses   = []string{"mailpost.example", "northgate.example", "quillmail.example", "harbour.example", "lantern.example"}
	products = []thing{{"desk lamp", "desk lamps"}, {"oak stool", "oak stools"}, {"enamel kettle", "enamel kettles"}, {"wool blanket", "wool blankets"},
		{"folding chair", "folding chairs"}, {"copper pan", "copper pans"}, {"linen curtain", "linen curtains"}, {"cast-iron hook", "cast-iron hooks"},
		{"rattan basket", "rattan baskets"}, {"wall clock", "wall clocks"}, {"stoneware jug", "stoneware jugs"}, {"garden bench", "garden benches"},
		{"bread knife", "bread knives"}, {"picture frame", "picture frames"}}
	payments = []struct{ value, said string }{
		{"invoice", "Please send me an invoice as usual."},
		{"invoice", "I would like to pay by invoice, as always."},
		{"card", "You can charge the card you have on file."},
		{"card", "I have paid by card already."},
		{"transfer", "I shall transfer the money today."},
		{"transfer", "The bank transfer went out this morning."},
	}
	mails = []string{
		"Good morning,\n\nin order {number} I asked for {things}. {by}. {payment} If anything is unclear, write to {email}.\n\nKind regards\n{name}",
		"Hello there,\n\n{name} here, about order {number}. It was meant to be {things}, nothing else, and I hope that still stands. {by}. {payment}\n\n" +
			"My address for the confirmation is {email}.",
		"Dear team,\n\ncould you check order no. {number} for me? I count {things} on my side. {by}. {payment}\n\nThank you!\n{name}\n{email}",
		"To whom it may concern:\n\nMy name is {name}, my order has the number {number}. We are talking about {things}. {by}. {payment} Answers reach me " +
			"best at {email}.",
		"Hi,\n\nquick one before the weekend. Order {number}, that's {things} for me. {by}. {payment}\n\nCheers, {name} ({email})",
		"Dear Sir or Madam,\n\nI refer to my order {number}. On the telephone you told me that {things} would be no trouble, and I was glad to hear it. " +
			"{by}. {payment}\n\nYours faithfully\n{name}\n\nReply to: {email}",
		"Hello,\n\nmy neighbour says you are quick, so here I am: {name}, order {number}, {things}. {by}. {payment} Please write to {email}, I hardly " +
			"ever hear the phone.",
		"Good evening,\n\nI have changed my mind once already, sorry. What I want in order {number} is {things}, and that is final. {by}. {payment}\n\n" +
			"Best wishes\n{name}, {email}",
	}
	deadlines = []string{
		"I need the delivery on {date}", "Delivery on {date} would suit me", "The parcel has to be here on {date}", "We agreed on {date} for the delivery",
		"Somebody will be at home on {date}, so please deliver then",
	}
	numbers = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
)

// thing is a noun in both numbers.
type thing struct{ singular, plural string }

func (t thing) counted(n int) string {
	if n == 1 {
		return "one " + t.singular
	}
	return numbers[n] + " " + t.plural
}

// order is a mail about an order.
func order(m *maker) (string, any) {
	first, last := one(m, given), one(m, family)
	name := first + " " + last
	email := strings.ToLower(first+"."+last) + "@" + one(m, houses)
	number, quantity := 10000+m.IntN(90000), 1+m.IntN(12)
	product, payment, day := one(m, products), one(m, payments), m.day()
	by := fill(one(m, deadlines), "date", said(m, day))
	text := fill(one(m, mails), "number", fmt.Sprint(number), "things", product.counted(quantity), "by", by, "payment", payment.said,
		"email", email, "name", name)
	return text, struct {
		Customer string `json:"customer"`
		Email    string `json:"email"`
		Number   int    `json:"order_number"`
		Product  string `json:"product"`
		Quantity int    `json:"quantity"`
		Date     string `json:"delivery_date"`
		Payment  string `json:"payment"`
	}{name, email, number, product.singular, quantity, day.Format(time.DateOnly), payment.value}
}

// said is a day as people write it.
func said(m *maker, day time.Time) string {
	return day.Format(one(m, []string{"2 January 2006", "Monday, 2 January 2006", "January 2, 2006"}))
}
