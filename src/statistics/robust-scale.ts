/** Turns a median absolute deviation into the standard deviation of a normal distribution. */
export const MAD_TO_SD = 1.4826;
/** The median of the absolute value of a standard normal, the inverse of `MAD_TO_SD` to four decimals. */
export const MEDIAN_OF_NORMAL = 0.6745;
