import { compilePattern, type GuardKind } from '@relay-hub/contract';
import type { Pattern } from './text-scan.ts';

/** Keys by the shapes that vendors publish. */
const keys = [
  String.raw`(?<![\w-])(sk|pk|rk)[-_][\w-]{16,}`,
  String.raw`(?<![\w-])(gsk|hf|xai|pplx|nvapi|r8|glpat|dop_v1|npm)[-_][\w-]{16,}`,
  String.raw`(?<![\w-])AIza[\w-]{30,}`,
  String.raw`(?<!\w)(AKIA|ASIA)[A-Z0-9]{16}(?!\w)`,
  String.raw`(?<!\w)(gh[opsur]|github_pat)_\w{20,}`,
  String.raw`(?<!\w)xox[abeoprs]-[\w-]{10,}`,
];

const builtIn: Record<GuardKind, Pattern[]> = {
  api_key: keys.map((source) => patternOf(source)),
  card: [patternOf(String.raw`(?<![\d.-])\d([ -]?\d){12,18}(?![\d.-])`, isCard)],
  email: [patternOf(String.raw`[\w.+-]+@([\w-]+\.)+[A-Za-z]{2,24}(?![\w-])`)],
  iban: [patternOf(String.raw`(?<!\w)[A-Z]{2}\d\d( ?[A-Z0-9]){11,30}(?!\w)`, isIban)],
  phone: [
    patternOf(String.raw`(?<![\w+])\+[1-9]\d{0,2}(([ .-]|[ -]?\(|\)[ -]?)?\d){6,13}(?!\d)`),
    patternOf(String.raw`(?<![\w.+-])1[3-9]\d([ -]?\d{4}){2}(?![\w.-])`),
  ],
};

function patternOf(source: string, isMeant?: (match: string) => boolean): Pattern {
  const made = compilePattern(source);
  if ('problem' in made) throw new Error(`${made.problem}: ${source}`);
  return { steps: made.steps, ...(isMeant && { isMeant }) };
}

/** The patterns of a rule. Stored patterns of a later version that this one does not know are left out. */
export const patternsOf = ({
  kinds,
  patterns,
}: {
  kinds: readonly GuardKind[];
  patterns: readonly string[];
}): Pattern[] => [
  ...kinds.flatMap((kind) => builtIn[kind]),
  ...patterns.flatMap((source) => {
    const made = compilePattern(source);
    return 'steps' in made ? [made] : [];
  }),
];

/** The check digit of payment cards (Luhn). */
export function isCard(match: string): boolean {
  const digits = match.replaceAll(/\D/g, '');
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const weighted = at % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

/** The check digits of bank accounts (ISO 7064, mod 97). */
function isIban(match: string): boolean {
  const account = match.replaceAll(' ', '');
  let rest = 0;
  for (const char of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
