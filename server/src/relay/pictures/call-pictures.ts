/**
 * Pictures: fetches pictures given by URL for channels that need bytes.
 * Used by select and convert before an attempt is sent.
 */
import { objectOr } from '#json.ts';
import type { ChatRequest } from '#chat/chat.ts';
import type { Deps } from '#deps.ts';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import type { Pictures } from '#providers/operation.ts';
import { spliceMembers } from '#relay/body/json-splice.ts';
import { RelayError, serverBusy } from '#relay/reply/relay-error.ts';
import { fetchPicture, PictureError } from './fetch-picture.ts';
import { blocksWith, chatWith, type Picture, placeOf } from './picture-places.ts';
import { typeOfPicture } from '#chat/media-type.ts';

const MAX_PICTURES = 16;
/** As much as inline pictures of one call. */
const MAX_MIB = 32;
const AT_ONCE = 4;
/** For all pictures of a call together. */
const TIMEOUT_MS = 30_000;

/** Placeholder for a picture that is not fetched yet; never sent. */
const standIn: Picture = { mime: 'image/png', base64: '' };

/** A request with its pictures, and those still to fetch. */
interface WithPictures<T> {
  content: T;
  missing: MissingPictures | undefined;
}

export interface MissingPictures {
  urls: ReadonlySet<string>;
  types: readonly string[];
}

/** Pictures that a call gives by URL, for channels that need bytes. Each is fetched once. */
export class CallPictures {
  readonly #body: Buffer;
  readonly #fetched = new Map<string, Picture>();
  #bytes = 0;
  /** Why the pictures cannot be used. Channels that need bytes are then skipped. */
  refusal: RelayError | undefined;

  /** `body`: the caller's request. */
  constructor(body: Buffer) {
    this.#body = body;
  }

  /** The chat with pictures as bytes. Throws a 400 for a picture type that the channel rejects. */
  inChat(chat: ChatRequest, pictures: Pictures): WithPictures<ChatRequest> {
    return this.#withPictures(pictures, (instead) => chatWith(chat, instead));
  }

  /** A request in Anthropic's dialect that passes through, with pictures as bytes. */
  inBlocks(pictures: Pictures, body: Buffer): WithPictures<Buffer> {
    const { messages } = objectOr(JSON.parse(body.toString('utf8')));
    const { content, missing: unseen } = this.#withPictures(pictures, (instead) => blocksWith(messages, instead));
    return { content: spliceMembers(body, { messages: JSON.stringify(content) }), missing: unseen };
  }

  #withPictures<T>(
    { types, takes }: Pictures,
    change: (instead: (address: string) => Picture | undefined) => T,
  ): WithPictures<T> {
    const addresses = new Set<string>();
    const content = change((address) => {
      if (takes?.(address)) return undefined;
      if (this.refusal) throw this.refusal;
      const picture = this.#fetched.get(address);
      if (!picture) addresses.add(address);
      else if (!types.includes(picture.mime)) throw this.#refused(address, notTaken(types));
      return picture ?? standIn;
    });
    return { content: content, missing: addresses.size > 0 ? { urls: addresses, types } : undefined };
  }

  /** Fetches missing pictures. The first failure aborts the others and sets `refusal`. */
  async fetch(
    deps: Deps,
    { urls: addresses, types }: MissingPictures,
    signal: AbortSignal,
    claim: BodyClaim | undefined,
  ): Promise<void> {
    if (this.#fetched.size + addresses.size > MAX_PICTURES) {
      this.refusal = invalid(`A call may give at most ${MAX_PICTURES} pictures by their addresses.`);
      return;
    }
    const over = new AbortController();
    const ends = AbortSignal.any([signal, over.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const left = [...addresses];
    const fetchSome = async () => {
      for (let address = left.pop(); address !== undefined && !ends.aborted; address = left.pop()) {
        try {
          this.#keep(address, await fetchPicture(deps, address, types, ends), types, claim);
        } catch (error) {
          if (error instanceof RelayError) this.refusal ??= error;
          else if (error instanceof PictureError) this.refusal ??= this.#refused(address, error.message, error.ours);
          else throw error;
          over.abort();
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, fetchSome));
    if (left.length > 0) this.refusal ??= invalid('The pictures did not arrive in time.');
  }

  #keep(address: string, bytes: Buffer, types: readonly string[], claim: BodyClaim | undefined): void {
    const mime = typeOfPicture(bytes);
    if (mime === undefined) throw new PictureError(notTaken(types));
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_MIB * 1024 * 1024)
      throw new PictureError(`with it, the pictures of the call are larger than ${MAX_MIB} MiB`);
    if (claim?.grow(bytes.length) === false) throw serverBusy();
    this.#fetched.set(address, { mime, base64: bytes.toString('base64') });
  }

  #refused(address: string, reason: string, ours = false): RelayError {
    const place = placeOf(address, JSON.parse(this.#body.toString('utf8')));
    const message = `The picture at '${place ?? 'messages'}' could not be used: ${reason}.`;
    return ours
      ? new RelayError(502, message, { type: 'upstream_error', code: 'picture_not_fetched' })
      : invalid(message, place);
  }
}

const notTaken = (types: readonly string[]): string =>
  `it is not of a type that the model takes (${types.map((type) => type.slice('image/'.length).toUpperCase()).join(', ')})`;

const invalid = (message: string, param?: string): RelayError =>
  new RelayError(400, message, {
    type: 'invalid_request_error',
    code: 'invalid_image_url',
    ...(param !== undefined && { param }),
  });
