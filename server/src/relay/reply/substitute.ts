import { IncomingMessage, type ServerResponse } from 'node:http';
import { Writable } from 'node:stream';

/** A request with another body, in the place of one that was read: of the same client, with its headers. */
export function requestWith({ headers, socket, url }: IncomingMessage, body: Buffer): IncomingMessage {
  const { upgrade: _, connection: __, 'content-encoding': ___, 'transfer-encoding': ____, ...kept } = headers;
  const request = new IncomingMessage(socket); // has the address of the client
  request.method = 'POST';
  request.url = url ?? '/';
  request.headers = { ...kept, 'content-type': 'application/json', 'content-length': String(body.length) };
  request.complete = true;
  request.push(body);
  request.push(null);
  return request;
}

/** Stands for a response whose bytes reach the client in another form. Has the members of a response that calls use. */
export abstract class SubstituteResponse extends Writable {
  headersSent = false;
  statusCode = 0;
  readonly #headers = new Map<string, string>();

  writeHead(status: number, headers: Readonly<Record<string, string>>): this {
    this.headersSent = true;
    this.statusCode = status;
    this.begin({ ...Object.fromEntries(this.#headers), ...headers });
    return this;
  }

  /** The same object, for functions that take a response. */
  asResponse(): ServerResponse {
    return this as unknown as ServerResponse; // has the members that calls use
  }

  protected abstract begin(headers: Readonly<Record<string, string>>): void;

  setHeader(name: string, value: string): this {
    this.#headers.set(name, value);
    return this;
  }

  removeHeader(name: string): void {
    this.#headers.delete(name);
  }
}
