# SPDX-License-Identifier: GPL-2.0-or-later
# Judges the sweeps of bench-self.sh. Input: times.csv (duration,MS; setup,STORAGE_MS,HASH_MS; make,MS), then all.csv,
# `lsbench report --format csv` of every sweep with the sweep's name in front.
function split_csv(line, f,    n, i, c, in_quotes) {
	n = 1
	delete f
	f[1] = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\"") in_quotes = !in_quotes
		else if (c == "," && !in_quotes) f[++n] = ""
		else f[n] = f[n] c
	}
	return n
}
function col(name) {
	if (!(name in at)) {
		print "bench-self: the CSV has no column " name > "/dev/stderr"
		missing = 1
		exit 1
	}
	return field[at[name]]
}
function sort_numbers(v, n,    i, j, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (j = i - 1; j >= 1 && v[j] > x; j--) v[j + 1] = v[j]
		v[j + 1] = x
	}
}
function median(v, n) {
	sort_numbers(v, n)
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
function show(what, target, measured, good) {
	printf "%-50s  %-22s  %-34s  %s\n", what, target, measured, good ? "reached" : "NOT REACHED"
	if (!good) bad++
}
function gross_of(s, maps) { return gross[s, SEQ "|" maps "||"] }
BEGIN {
	SEQ = "local-storage-cache-seq-get"
	INT = "local-storage-cache-int-get"
	HASH = "local-storage-cache-hashmap-control"
}
FILENAME ~ /times\.csv$/ {
	split($0, t, ",")
	if (t[1] == "duration") duration[++durations] = t[2] / 1000
	else if (t[1] == "setup") { storage_ms[++setups] = t[2] + 0; hash_ms[setups] = t[3] + 0 }
	else if (t[1] == "make" && t[2] != "") make_s = t[2] / 1000
	next
}
/^sweep,/ {
	n = split_csv($0, field)
	for (i = 1; i <= n; i++) at[field[i]] = i
	next
}
{
	split_csv($0, field)
	s = field[1]
	bench = col("bench")
	maps = col("nr_maps") + 0
	keys = bench == HASH ? col("hashmap_nr_keys_used") + 0 : ""
	key = bench == HASH ? col("hashmap_key") : ""
	id = bench "|" maps "|" keys "|" key
	if (!(id in known)) { known[id] = ++ids; name[ids] = id }
	rows[s]++
	if (col("outcome") != "ok") { not_ok++; next }
	gross[s, id] = col("gross") + 0
	lo[s, id] = col("gross_lo") + 0
	hi[s, id] = col("gross_hi") + 0
	if (bench != HASH && s != "after") {
		o = ++over_n[id]
		over[id, o] = col("overhead") + 0
		is_storage[id] = maps
	}
	if (bench != HASH) {
		audits++
		if (col("miss_share_audited") == "" || col("miss_share_audited") != col("miss_share")) {
			audit_bad++
			audit_first = audit_first ? audit_first : s ": " id " " col("miss_share_audited") " for " col("miss_share")
		}
	}
	# The rows that are promised to be narrow.
	narrow[id] = (bench != HASH && maps <= 32) || (bench == HASH && keys >= 10000 && key != "tid")
	if (narrow[id] && s != "after") {
		narrow_n++
		half = (hi[s, id] - lo[s, id]) / 2 / gross[s, id]
		if (half > 0.04) {
			wide++
			if (col("warnings") !~ /noisy|bimodal/) silent++
		}
		if (half > widest) { widest = half; widest_id = id }
	}
}
END {
	if (missing) exit 1
	printf "%-50s  %-22s  %-34s\n\n", "what (" sweeps " sweeps, " rows[1] " rows, 7 trials a row)", "to reach", "measured"
	for (id in is_storage) {
		for (i = 1; i <= over_n[id]; i++) v[i] = over[id, i]
		m = median(v, over_n[id])
		if (m > loop_any) { loop_any = m; loop_any_maps = is_storage[id] }
		if (is_storage[id] <= 32 && m > loop_32) { loop_32 = m; loop_32_maps = is_storage[id] }
	}
	show("empty loop, n <= 32", "<= 0.3 ns", sprintf("%.3f ns (n=%d)", loop_32, loop_32_maps), loop_32 > 0 && loop_32 <= 0.3)
	show("empty loop, any n up to 1000", "<= 1.2 ns", sprintf("%.3f ns (n=%d)", loop_any, loop_any_maps),
	     loop_any > 0 && loop_any <= 1.2)
	m = median(storage_ms, setups)
	show("1000 maps created, outer array filled, slots read", "<= 150 ms", sprintf("%.0f ms", m), setups && m <= 150)
	m = median(hash_ms, setups)
	show("4194304 hash keys filled", "<= 1400 ms", sprintf("%.0f ms", m), setups && m <= 1400)
	m = median(duration, durations)
	show("the published matrix, 7 trials, whole command", "<= 40 s", sprintf("%.1f s (longest %.1f)", m, duration[durations]),
	     m <= 40)
	show("half-width, n <= 32 and hash from 10000 keys", "<= 4 % or a warning",
	     sprintf("%d of %d wider, %d unwarned", wide, narrow_n, silent), narrow_n && !silent)
	printf "%-50s  %-22s  %.1f %% at %s\n", "  widest of them", "", 100 * widest, widest_id

	six = sweeps < 6 ? sweeps : 6
	for (i = 1; i <= ids; i++) {
		id = name[i]
		if (!narrow[id]) continue
		least = most = 0
		for (s = 1; s <= six; s++) {
			if (!((s, id) in gross) || !gross_of(s, 16)) continue
			r = gross[s, id] / gross_of(s, 16)
			if (!least || r < least) least = r
			if (r > most) most = r
		}
		if (least && most / least > spread) { spread = most / least; spread_id = id }
	}
	show(six " sweeps: row over seq-16, max over min", "<= 1.04", sprintf("%.3f", spread), spread && spread <= 1.04)
	printf "%-50s  %-22s  at %s\n", "  widest of them", "", spread_id

	for (a = 1; a < sweeps; a++)
		for (b = a + 1; b <= sweeps; b++) {
			pairs++
			any = 0
			for (i = 1; i <= ids; i++) {
				id = name[i]
				if (!((a, id) in gross) || !((b, id) in gross)) continue
				if (lo[a, id] > hi[b, id] || lo[b, id] > hi[a, id]) { any++; disjoint++; disjoint_of[id]++ }
			}
			if (any) pairs_any++
		}
	show(sweeps " sweeps: A/A pairs with a disjoint interval", "<= 1 of 66 pairs",
	     sprintf("%d of %d pairs, %d intervals", pairs_any, pairs, disjoint), pairs_any <= pairs / 66)
	for (i = 1; i <= ids; i++)
		if (disjoint_of[name[i]]) printf "%-50s  %-22s  %d times %s\n", "", "", disjoint_of[name[i]], name[i]

	for (s = 1; s <= six; s++)
		shape += gross_of(s, 16) <= 1.2 * gross_of(s, 1) && gross_of(s, 1) <= 1.2 * gross_of(s, 16) &&
			 gross_of(s, 32) >= 2 * gross_of(s, 16) && gross_of(s, 100) >= 2 * gross_of(s, 32) &&
			 gross_of(s, 1000) >= 10 * gross_of(s, 100) && gross_of(s, 1) > 0
	show("shape of the curve", "in " six " of " six, shape " of " six, shape == six)
	print "  1 and 16 maps within 1.2x, 32 >= 2x 16, 100 >= 2x 32, 1000 >= 10x 100"
	show("audited miss share = slot simulation", "all seq and int rows",
	     sprintf("%d of %d", audits - audit_bad, audits), audits && !audit_bad)
	if (audit_first) print "  first: " audit_first
	n = split("1 10 16 17 32", list, " ")
	for (i = 1; i <= n; i++) {
		a = gross_of("after", list[i])
		k = 0
		for (s = 1; s <= sweeps; s++) if (gross_of(s, list[i])) v[++k] = gross_of(s, list[i])
		b = k ? median(v, k) : 0
		if (!a || !b) { far = 99; continue }
		r = a > b ? a / b : b / a
		if (r > far) { far = r; far_n = list[i] }
	}
	show("right after 1000 maps were closed, over the others", "<= 1.10", sprintf("%.3f (n=%d)", far, far_n), far <= 1.10)
	show("make from clean", "<= 60 s", sprintf("%.0f s", make_s), make_s && make_s <= 60)
	show("rows that failed or are invalid", "0", not_ok + 0, !not_ok)
	print ""
	print bad ? bad " not reached" : "all reached"
	exit bad > 0
}
