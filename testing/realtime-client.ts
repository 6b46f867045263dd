import { expect } from 'vitest';
import { WebSocket } from 'ws';

/** The caller's side of a realtime session. */
export class RealtimeClient {
  readonly socket: WebSocket;
  readonly events: { type: string; error?: { code: string; type: string; message: string } }[] = [];
  readonly opened: Promise<string>;
  readonly closed: Promise<{ code: number; reason: string }>;

  constructor(hub: { url: string }, path: string, key: string | undefined, protocols: string[] = []) {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.socket = new WebSocket(hub.url.replace('http', 'ws') + path, protocols, { headers });
    this.opened = new Promise((resolve, reject) => {
      this.socket.on('open', () => resolve(this.socket.protocol));
      this.socket.on('error', reject);
      this.socket.on('unexpected-response', (_, response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => reject(new Refused(response.statusCode ?? 0, text)));
      });
    });
    this.opened.catch(() => {});
    this.closed = new Promise((resolve) =>
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    this.socket.on('message', (data) =>
      this.events.push(JSON.parse((data as Buffer).toString()) as RealtimeClient['events'][number]),
    );
  }

  send(event: object): void {
    this.socket.send(JSON.stringify(event));
  }

  async until(type: string, count = 1): Promise<void> {
    await expect.poll(() => this.events.filter((one) => one.type === type).length, { timeout: 15_000 }).toBe(count);
  }
}

class Refused extends Error {
  readonly status: number;
  readonly code: string | undefined;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
    this.code = (JSON.parse(text) as { error?: { code: string } }).error?.code;
  }
}
