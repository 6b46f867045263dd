import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from './behaviour.ts';
import { countWords } from './text.ts';

/** An open session of a simulated provider. */
export interface SimulatedSession {
  /** Path, query and headers of the request. */
  url: string;
  headers: IncomingMessage['headers'];
  socket: WebSocket;
  /** Received events, in order. */
  events: JsonObject[];
}

/** Behaviour of the next responses. */
export interface RealtimeBehaviour {
  /** Refuses the upgrade with this status. */
  status?: number;
  /** Usage of each response; default: words are counted. */
  usage?: JsonObject;
  /** Number of text pieces, and letters per piece. */
  deltas?: number;
  deltaBytes?: number;
  /** Starts and never ends. */
  endless?: boolean;
}

const event = (type: string, more: JsonObject = {}): string =>
  JSON.stringify({ type, event_id: `event_${Math.random().toString(36).slice(2)}`, ...more });

/** OpenAI's realtime sessions, text only: each `response.create` is answered. */
export class RealtimeSimulator {
  readonly sessions: SimulatedSession[] = [];
  behaviour: RealtimeBehaviour = {};
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  /** `isKey`: accepts an authorization header. */
  listen(server: Server, isKey: (authorization: string | undefined) => boolean): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { status = isKey(request.headers.authorization) ? 101 : 401 } = this.behaviour;
      const known = request.url?.startsWith('/v1/realtime?') ?? false;
      if (status !== 101 || !known) return refuse(socket, known ? status : 404);
      this.#server.handleUpgrade(request, socket, head, (made) => this.#open(request, made));
    });
  }

  close(): void {
    for (const { socket } of this.sessions) socket.terminate();
  }

  #open(request: IncomingMessage, socket: WebSocket): void {
    const session: SimulatedSession = { url: request.url ?? '', headers: request.headers, socket, events: [] };
    this.sessions.push(session);
    const model = new URLSearchParams(request.url?.split('?')[1]).get('model');
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const received = JSON.parse((data as Buffer).toString()) as JsonObject;
      session.events.push(received);
      if (received['type'] === 'response.create') this.#respond(session);
    });
    socket.send(event('session.created', { session: { type: 'realtime', object: 'realtime.session', model } }));
  }

  #respond({ socket, events }: SimulatedSession): void {
    const { usage, deltas = 2, deltaBytes = 5, endless = false } = this.behaviour;
    const id = `resp_${events.length}`;
    socket.send(event('response.created', { response: { id, object: 'realtime.response', status: 'in_progress' } }));
    const delta = 'word '.repeat(Math.ceil(deltaBytes / 5));
    for (let i = 0; i < deltas; i++) socket.send(event('response.output_text.delta', { response_id: id, delta }));
    if (endless) return;
    const counted = { input: countWords(JSON.stringify(events)), output: deltas };
    const reported = usage ?? {
      total_tokens: counted.input + counted.output,
      input_tokens: counted.input,
      output_tokens: counted.output,
      input_token_details: { text_tokens: counted.input, audio_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: counted.output, audio_tokens: 0 },
    };
    socket.send(
      event('response.done', { response: { id, object: 'realtime.response', status: 'completed', usage: reported } }),
    );
  }
}

function refuse(socket: Duplex, status: number): void {
  const body = JSON.stringify({
    error: { message: 'Refused.', type: 'invalid_request_error', param: null, code: null },
  });
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
