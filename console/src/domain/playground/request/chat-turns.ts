import type { Attachment, Round } from '#domain/playground/playground-types.ts';

/** One message of the history. */
export interface Turn {
  role: 'user' | 'assistant';
  text: string;
  files: Attachment[];
}

/**
 * The messages before and including the last round, as one of the models side by side saw them. A model that joined
 * later sees the answers of the first one.
 */
export function turnsOf(rounds: readonly Round[], lane: number): Turn[] {
  return rounds.flatMap(({ text, files, answers }, index): Turn[] => {
    const user: Turn = { role: 'user', text, files };
    if (index === rounds.length - 1) return [user];
    const answer = answers[lane] ?? answers[0];
    return answer && answer.text !== '' ? [user, { role: 'assistant', text: answer.text, files: [] }] : [user];
  });
}

export const isImage = ({ mime }: Pick<Attachment, 'mime'>): boolean => mime.startsWith('image/');
export const isAudio = ({ mime }: Pick<Attachment, 'mime'>): boolean => mime.startsWith('audio/');
export const isPlainText = ({ mime }: Pick<Attachment, 'mime'>): boolean =>
  mime.startsWith('text/') || mime === 'application/json';

export const dataUrl = ({ mime, data }: Attachment): string => `data:${mime};base64,${data}`;

/** The content of a text file, which every model can read, under its name. */
export function fileAsText({ name, data }: Attachment): string {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return `${name}:\n\n${new TextDecoder().decode(bytes)}`;
}

/** The fields that are set; untouched ones are not sent. */
export const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
