/** Predictions of Replicate's language models. Source: https://replicate.com/docs/reference/http, replicate 1.4.0. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the next predictions run; left out: a good answer whose first reply is "starting". */
export interface PredictionBehaviour {
  /** The prediction is done within the caller's wait. */
  atOnce?: boolean;
  status?: 'succeeded' | 'failed' | 'canceled';
  error?: string;
  output?: string[];
  metrics?: Record<string, number>;
  /** Questions answered with "processing". */
  pending?: number;
  /** Of streams: pieces before the connection is cut; `never`: the stream stays open behind its first piece. */
  cutAfter?: number;
  never?: boolean;
  /** The address of the stream instead of the simulator's; null: the model does not stream. */
  streamUrl?: string | null;
}

interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface ReplicateSimulator {
  url: string;
  seen: Seen[];
  behaviour: PredictionBehaviour;
  cancelled: string[];
  close(): void;
}

const KEY = 'Bearer r8_1';

export async function startReplicate(): Promise<ReplicateSimulator> {
  let count = 0;
  let asked = 0;
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a TCP port
  const simulator: ReplicateSimulator = {
    url,
    seen: [],
    behaviour: {},
    cancelled: [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const { method = '', url: path = '', headers } = request;
    simulator.seen.push({ method, url: path, headers, body: text === '' ? undefined : JSON.parse(text) });
    if (headers.authorization !== KEY)
      return send(response, 401, {
        title: 'Unauthenticated',
        detail: 'You did not pass a valid authentication token',
        status: 401,
      });
    const { behaviour } = simulator;
    if (method === 'POST' && /^\/v1\/(?:models\/[^/]+\/[^/]+\/)?predictions$/.test(path)) {
      asked = 0;
      const id = `p${++count}`;
      return send(response, 201, prediction(id, behaviour.atOnce ? 'end' : 'starting'));
    }
    const [, id = '', action] = /^\/v1\/predictions\/(p\d+)(\/cancel)?$/.exec(path) ?? [];
    if (method === 'POST' && action) {
      simulator.cancelled.push(id);
      return send(response, 200, { ...prediction(id, 'processing'), status: 'canceled' });
    }
    if (method === 'GET' && id !== '')
      return send(response, 200, prediction(id, asked++ < (behaviour.pending ?? 0) ? 'processing' : 'end'));
    if (method === 'GET' && path.startsWith('/stream/')) return stream(response);
    send(response, 404, { detail: 'The requested resource could not be found.', status: 404 });
  }

  function prediction(id: string, at: 'starting' | 'processing' | 'end'): Record<string, unknown> {
    const { status = 'succeeded', error, output, metrics, streamUrl } = simulator.behaviour;
    return {
      id,
      status: at === 'end' ? status : at,
      error: at === 'end' ? (error ?? null) : null,
      output: at === 'end' && status === 'succeeded' ? (output ?? ['Hello', ' there', '\n', 'friend']) : null,
      ...(at === 'end' && {
        metrics: metrics ?? { input_token_count: 1000, output_token_count: 500, predict_time: 1 },
      }),
      urls: {
        get: `https://elsewhere.example/v1/predictions/${id}`,
        cancel: `https://elsewhere.example/v1/predictions/${id}/cancel`,
        ...(streamUrl !== null && { stream: streamUrl ?? `${url}/stream/${id}` }),
      },
    };
  }

  async function stream(response: ServerResponse): Promise<void> {
    const { output = ['Hello', ' there', '\n', 'friend'], cutAfter, never, status } = simulator.behaviour;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [i, piece] of output.entries()) {
      if (i === cutAfter) return void response.socket?.destroy();
      const data = piece
        .split('\n')
        .map((line) => `data: ${line}\n`)
        .join('');
      await new Promise<void>((resolve) => response.write(`event: output\nid: ${i}:0\n${data}\n`, () => resolve()));
      if (never) return;
    }
    if (status === 'failed') response.write(`event: error\ndata: {"detail":"CUDA out of memory"}\n\n`);
    const reason = status === 'canceled' ? 'canceled' : 'error';
    response.end(`event: done\ndata: ${status === undefined ? '{}' : JSON.stringify({ reason })}\n\n`);
  }

  return simulator;
}

function send(response: ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json));
}
