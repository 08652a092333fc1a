/** Bounds of what one expression can make, whatever functions it calls. */

/** Characters of one text. */
export const textLengthMax = 4_000_000;
/** Elements of a list that a function makes. */
export const listLengthMax = 100_000;
