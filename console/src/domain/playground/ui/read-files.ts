import type { Attachment } from '#domain/playground/playground-types.ts';
import { dataUrlOf } from '#domain/playground/stream/data-url-of.ts';

/** Bytes of one file, and of all files of a message. */
export const MOST_BYTES = 20 * 1024 * 1024;

const textTypes: Record<string, string> = { md: 'text/markdown', csv: 'text/csv', json: 'application/json' };
const codeEnds = /\.(?:txt|log|ya?ml|toml|ini|tsx?|jsx?|py|go|rs|java|c|h|cpp|cs|rb|php|sh|sql|html?|css|xml)$/i;

/** The type by the browser, or by the name for the text files that browsers do not know. */
function typeOf({ name, type }: File): string {
  const end = name.split('.').pop()?.toLowerCase() ?? '';
  if (textTypes[end]) return textTypes[end];
  if (codeEnds.test(name)) return 'text/plain';
  return type || 'application/octet-stream';
}

/** The files as attachments, in their order. Rejects if one cannot be read. */
export const readFiles = (files: readonly File[]): Promise<Attachment[]> =>
  Promise.all(
    files.map(async (file) => ({
      name: file.name,
      mime: typeOf(file),
      data: await base64Of(file),
      bytes: file.size,
    })),
  );

const base64Of = async (file: File): Promise<string> => (await dataUrlOf(file)).replace(/^[^,]*,/, '');
