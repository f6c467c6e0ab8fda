// Words and numbers as a reader sees them. Text is hostile: it enters a page as text only.

// Every control, format, private or blank character by its code, such as <200b>, as words.visible does. A joiner
// stays where it is part of the writing: between letters without case or marks, U+200D within an emoji, too. A
// combining mark that begins the word gets a dotted circle to stand on.
const BLANK = /[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/, HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/u, MARK = /^\p{M}/u;
const LETTER = /^[\p{Lo}\p{Mn}\p{Mc}]$/u, SYMBOL = /^[\p{So}\p{Sk}]$/u;
const isHidden = (c) => HIDDEN.test(c) || BLANK.test(c);
function joins(before, c, after) {
  if (BLANK.test(before) || BLANK.test(after)) return false;
  if (/[\u200c\u200d]/.test(c) && LETTER.test(before) && LETTER.test(after)) return true;
  return c === "\u200d" && (SYMBOL.test(before) || before === "\ufe0f") && SYMBOL.test(after);
}
export function visible(word) {
  if (!isHidden(word) && !MARK.test(word)) return word;
  const all = Array.from(word), code = (c) => `<${c.codePointAt(0).toString(16).padStart(4, "0")}>`;
  const shown = all.map((c, i) => (isHidden(c) && !joins(all[i - 1] ?? "", c, all[i + 1] ?? "") ? code(c) : c));
  return (MARK.test(shown[0]) ? "\u25cc" : "") + shown.join("");
}
// The same within a sentence: a word from right to left must not take the numbers beside it along.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
export const within = (word) => (RIGHT_TO_LEFT.test(word) ? `\u2068${visible(word)}\u2069` : visible(word));

export const quoted = (word) => `“${within(word)}”`;
export const number = (x, digits = 3) => (Math.abs(x) < 0.5 * 10 ** -digits ? 0 : x).toFixed(digits).replace("-", "−");
export const signed = (x, digits = 2) => (Number(x.toFixed(digits)) > 0 ? "+" : "") + number(x, digits);
