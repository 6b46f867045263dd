import type { Readable } from 'node:stream';
import type { Deps } from '#deps.ts';
import { type VendorAccess, vendorCall, vendorTarget } from '#tasks/ask-vendor.ts';

/** The vendor did not send a document. */
export class NoDocument extends Error {
  /** HTTP status; 0: there was no answer. */
  readonly status: number;

  constructor(status: number, options?: ErrorOptions) {
    super(`the document was not sent: ${status}`, options);
    this.status = status;
  }
}

/** Opens a document that a vendor keeps, with the key of its account. Rejects with `NoDocument`. */
export async function openDocument(
  deps: Pick<Deps, 'upstreams'>,
  access: VendorAccess,
  path: string,
  signal: AbortSignal,
): Promise<Readable> {
  try {
    const call = await vendorCall(deps, access);
    const { body: _, ...target } = await vendorTarget(access, call, { method: 'GET', path });
    const answer = await deps.upstreams.open({ ...target, method: 'GET', signal });
    if (answer.status === 200) return answer.body;
    answer.body.destroy();
    throw new NoDocument(answer.status);
  } catch (error) {
    if (error instanceof NoDocument) throw error;
    throw new NoDocument(0, { cause: error });
  }
}
