# problems.awk - puts the table of problems into the manual page of fatfsck
#
#   awk -f problems.awk problem.def fatfsck.8.in >fatfsck.8
#
# The rows of problem.def, in their order, take the place of the line
# .\" PROBLEMS; a comment of one line between them becomes a heading. A row is
# shown as fatfsck -n shows a finding. Status 1 if there is no row or no such
# line, or if a row or a placeholder is not understood.

function fail(what) {
	print "problems.awk: " what >"/dev/stderr"
	failed = 1
	exit 1
}

# What the manual page calls a placeholder of a sentence.
function placeholder(name,    value) {
	if (name in words)
		return words[name]
	value = toupper(substr(name, 1, 1))
	if (name !~ /^[nm](:[a-z])?$/ || !(substr(name, 3) in units))
		fail("what is {" name "}?")
	return "\\fI" value "\\fP" units[substr(name, 3)]
}

function fill_in(text,    out) {
	while (match(text, /[{][^}]*[}]/)) {
		out = out substr(text, 1, RSTART - 1) \
			placeholder(substr(text, RSTART + 1, RLENGTH - 2))
		text = substr(text, RSTART + RLENGTH)
	}
	return out text
}

# text in lines that are no requests.
function fold(text,    n, i, word, line, out) {
	n = split(text, word, " ")
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line " " word[i]) > 76) {
			out = out line "\n"
			line = ""
		}
		if (line == "" && word[i] ~ /^[.']/)
			word[i] = "\\&" word[i]
		line = line (line == "" ? "" : " ") word[i]
	}
	return out line "\n"
}

function escape(text) {
	gsub(/--/, "\\-\\-", text)
	return text
}

# arg[]: id, slug, severity, preen, answer, sentence, repair
function show_row(arg,    how) {
	how = arg[4] == "YES" ? "\\fB\\-p\\fP, \\fB\\-y\\fP" : "\\fB\\-y\\fP"
	table = table ".It Cm " arg[2] " Pq " tolower(arg[3]) "\n" \
		fold(fill_in(escape(arg[6])) \
		     (arg[7] == "" ? "" : " [" how ": " escape(arg[7]) "]"))
	rows++
}

# The text of a whole PROBLEM(...): strings lose their quotes.
function take_row(text,    i, c, n, quoted, arg) {
	n = 1
	for (i = index(text, "(") + 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (c == "\"")
			quoted = !quoted
		else if (c == "\\")
			arg[n] = arg[n] substr(text, ++i, 1)
		else if (!quoted && c == ",")
			n++
		else if (!quoted && c == ")")
			break
		else if (quoted || c !~ /[ \t]/)
			arg[n] = arg[n] c
	}
	if (n != 7)
		fail("a row of " n " parts: " text)
	show_row(arg)
}

function take_heading(text) {
	if (open)
		table = table ".El\n"
	table = table ".Ss " text "\n.Bl -tag -width Ds -compact\n"
	open = 1
}

BEGIN {
	words["first"] = "\\fIC\\fP"
	words["last"] = "\\fID\\fP"
	words["other"] = "\\fIPATH\\fP"
	units[""] = units["x"] = units["s"] = ""
	units["c"] = " clusters"
	units["e"] = " entries"
	units["o"] = " slots"
}

FILENAME != ARGV[1] {
	if ($0 == ".\\\" PROBLEMS") {
		printf "%s.El\n", table
		marked = 1
	} else {
		print
	}
	next
}

/^\/\*.*\*\/$/ {
	take_heading(substr($0, 4, length($0) - 6))
	next
}

/^\/\*/ { comment = 1 }
comment { comment = !/\*\//; next }
/^PROBLEM\(/ { row = "" }
{ row = row $0 }
/\)$/ { take_row(row); row = "" }

END {
	if (!failed && !rows)
		fail("no rows in " ARGV[1])
	if (!failed && !marked)
		fail("no line for them in " ARGV[2])
	exit failed
}
