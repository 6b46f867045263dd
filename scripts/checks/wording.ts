import type { SourceFile } from '../numbers/sources.ts';

/** Phrases that avoid the technical word or invert the sentence. Each has its plain replacement. */
export const phrases: readonly [pattern: RegExp, instead: string][] = [
  [/\b(?:whoever|whosoever|whomever)\b/i, 'the caller, the client, anyone who'],
  [/(?:^|[.;:] )(?:What|Whose|Whom) (?!.*\?)/, 'a noun: "Settings of …", "Timeout for …"'],
  [/\bwhat (?:is|are|was|were|has|have)\b(?!.*\?).*\b(?:is|are|was|were|has|have|goes|comes)\b/, 'name the subject'],
  [/\bso (?:many|few|old|often|late|early)\b(?! that)/i, 'the number, the age, the limit'],
  [/\bfor so long\b|\bso long (?:a|an|as|may)\b/i, 'the duration, "while"'],
  [/\bof (?:its|their|his|her) own\b/i, '"a separate …", "its …"'],
  [/\b(?:told|tells?)\b/i, 'reports, states, returns, shows, is notified'],
  [/\b(?:stands?|stood)\b(?! for\b)/i, 'is, is written, remains'],
  [/\b(?:nobody|somebody|anybody|everybody)\b/i, 'no one, someone, or the noun: no client'],
  [/\bbeside\b/i, 'next to, in addition to'],
  [/\bas (?:it is|they are)\b(?! (?:not|already|needed|used))/i, 'unchanged'],
  [/\b(?:he|him|his|himself|she|hers?)\b/i, 'they, the client, the caller'],
  [/\b(?:anew|lest|nought|thereof|herein|whither|hither|ere)\b/i, 'again, so that … not'],
  [/\b(?:let|lets) go of\b/i, 'release'],
];

export interface Offence {
  at: string;
  line: string;
  instead: string;
}

/** Comment lines of a file that contain one of the phrases. Code spans and quotations do not count. */
export function offencesOf(file: SourceFile): Offence[] {
  return file.comments.flatMap((comment) =>
    comment.value.split('\n').flatMap((raw, i) => {
      const line = raw.replace(/^[\s*]+/, '').trim();
      const prose = line.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, '…');
      const phrase = phrases.find(([pattern]) => pattern.test(prose));
      if (phrase === undefined) return [];
      return [{ at: `${file.path}:${file.lineOf(comment.start) + i}`, line, instead: phrase[1] }];
    }),
  );
}
