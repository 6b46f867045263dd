import type { Deps } from '#deps.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import type { VendorAccess } from '#tasks/ask-vendor.ts';
import { linesOf, TooLarge } from './json-lines.ts';
import { NoDocument, openDocument } from './open-document.ts';

const MAX_FILE_BYTES = 100 * 1024 * 1024;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const READ_MS = 120_000;

/**
 * Reads an input file line by line from the account that keeps it. `field` names the file in refusals. Rejects with a
 * `RelayError`, and with what `take` rejects with.
 */
export async function readInput(
  deps: Deps,
  access: VendorAccess,
  { path, field }: { path: string; field: string },
  take: (line: string) => void | Promise<void>,
): Promise<void> {
  try {
    const body = await openDocument(deps, access, path, AbortSignal.timeout(READ_MS));
    for await (const line of linesOf(body, { maxBytes: MAX_FILE_BYTES, maxLine: MAX_LINE_BYTES })) await take(line);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    if (error instanceof TooLarge)
      throw badRequest(
        `The input file is too large: it may have ${MAX_FILE_BYTES} bytes, and ${MAX_LINE_BYTES} in a line.`,
        field,
      );
    if (error instanceof NoDocument && error.status >= 400 && error.status < 500 && error.status !== 429)
      throw badRequest('The provider does not have the input file any more.', field);
    deps.log.info({ err: error, channel: access.channel.id }, 'the input of a batch was not read');
    throw new RelayError(502, 'The provider did not send the input file. Try again.', {
      type: 'upstream_error',
      code: 'upstream_unreachable',
    });
  }
}
