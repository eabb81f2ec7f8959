/*
 * check_date.c - are the times of an entry times at all?
 *
 * Only told, never repaired: nobody knows the right one. Date 0 is none
 * (format.md 44), of a written file too: devices without a clock.
 */
#include "base/bytes.h"
#include "check/check_dir.h"

static bool date_exists(unsigned date)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30,
					      31, 31, 30, 31, 30, 31 };
	unsigned year = 1980 + (date >> 9), month = date >> 5 & 15;
	unsigned day = date & 31;

	if (!date)
		return true;
	/* 2100 is the only fourth year to 2107 that is no leap year. */
	if (month == 2 && day == 29)
		return year % 4 == 0 && year != 2100;
	return month >= 1 && month <= 12 && day >= 1 &&
	       day <= days[month - 1];
}

static bool time_exists(unsigned t)
{
	return t >> 11 <= 23 && (t >> 5 & 63) <= 59 && (t & 31) <= 29;
}

bool check_dates_exist(const uint8_t *slot)
{
	return date_exists(get_le16(slot + 16)) &&
	       date_exists(get_le16(slot + 18)) &&
	       date_exists(get_le16(slot + 24)) &&
	       time_exists(get_le16(slot + 14)) &&
	       time_exists(get_le16(slot + 22)) && slot[13] <= 199;
}
