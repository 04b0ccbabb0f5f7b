package main

// complaint is what somebody tells the town hall, and what becomes of it.
type complaint struct{ topic, text string }

var (
	complaints = []complaint{
		{"waste", "the bins behind the bakery have not been emptied for {weeks}"},
		{"waste", "somebody has left an old sofa and a heap of tyres beside the bus stop"},
		{"waste", "the glass container at the corner is so full that bottles stand all around it"},
		{"waste", "our paper was left on the pavement again, though we put it out on the right day"},
		{"waste", "the lid of our brown bin is broken and we need a new one"},
		{"streets", "there is a pothole in front of the school that would swallow a bicycle"},
		{"streets", "the street lamp opposite number {house} has been dark for {weeks}"},
		{"streets", "the paint of the zebra crossing by the church is worn away"},
		{"streets", "a road sign at the roundabout was knocked over and now points at the sky"},
		{"streets", "the kerb outside number {house} has come loose"},
		{"water", "brown water has been coming out of our tap for {weeks}"},
		{"water", "the hydrant next to number {house} is leaking"},
		{"water", "the drain at the foot of the hill is blocked, and the cellars there get wet whenever it rains"},
		{"water", "the pressure in the whole house has dropped to a trickle"},
		{"noise", "the bar on the square plays music with its doors open until two in the morning"},
		{"noise", "building work next to number {house} starts at half past five"},
		{"noise", "the ventilation of the supermarket hums through the night, and has done so for {weeks}"},
		{"noise", "a dog in the yard behind us has been left alone and barks from morning till evening"},
		{"parks", "the swing in the playground hangs by one chain"},
		{"parks", "a branch has come down across the path by the pond"},
		{"parks", "the benches along the river are covered in scribbles"},
		{"parks", "the roses in the little park have not been watered for {weeks}"},
		{"permits", "I applied for a stall at the autumn market {weeks} ago and have heard nothing"},
		{"permits", "we would like to put three tables in front of our shop and wonder which form that takes"},
		{"permits", "my parking permit runs out soon and the page for renewing it only shows an error"},
		{"permits", "we are planning a street party and need to know when to ask for closing the road"},
	}
	districts = []string{"Millbrook", "Upper Fenn", "Castle Ward", "Saltmarsh", "Orchard Hill", "Westgate", "Tanners' Row", "Nether Lea"}
	openings  = []string{
		"Hello, I am writing from {district}: {what}.", "Good day. I live in {district}, and {what}.", "To the town hall: here in {district} {what}.",
		"I hope this reaches the right desk. In {district}, where I live, {what}.",
	}
	urgencies = []struct{ value, said string }{
		{"high", "Somebody is going to get hurt, so please come today."},
		{"high", "This cannot wait until tomorrow."},
		{"high", "My neighbour, who is eighty, nearly had an accident because of it this morning; please treat this as an emergency."},
		{"normal", "I would be glad if you saw to it in the next days."},
		{"normal", "It would be good to have this settled by the end of the week."},
		{"normal", "Please look into it when your people are in the area this week."},
		{"low", "There is no hurry at all."},
		{"low", "It is no great matter, I just thought you should know."},
		{"low", "Whenever you find the time is early enough."},
	}
	replies = []struct {
		value bool
		said  string
	}{
		{true, "Could you let me know what happens?"}, {true, "I look forward to your answer."}, {true, "Please call me back about it."},
		{false, "You need not write back."}, {false, "No answer is needed."}, {false, "I do not expect a reply."},
	}
	weeks = []string{"two weeks", "ten days", "a month", "three weeks", "five days"}
)

// report is a message to the town hall.
func report(m *maker) (string, any) {
	c, district, urgency, reply := one(m, complaints), one(m, districts), one(m, urgencies), one(m, replies)
	what := fill(c.text, "weeks", one(m, weeks), "house", one(m, []string{"7", "12", "23", "41", "58"}))
	text := fill(one(m, openings), "district", district, "what", what) + " " + urgency.said + " " + reply.said
	return text, struct {
		Topic    string `json:"topic"`
		Urgency  string `json:"urgency"`
		District string `json:"district"`
		Reply    bool   `json:"wants_reply"`
	}{c.topic, urgency.value, district, reply.value}
}
