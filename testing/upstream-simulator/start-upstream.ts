import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTo, type SimulatedAnswer, checkKey } from './answer.ts';
import type { Behaviour } from './behaviour.ts';
import { CnVideoSimulator } from './cn-video-services.ts';
import { deliver } from './deliver.ts';
import { IntlVideoSimulator } from './intl-video-services.ts';
import { KeptThings } from './kept-things.ts';
import { defaultModels } from './models.ts';
import { RealtimeSimulator } from './realtime-socket.ts';
import type { SimulatedReply } from './reply.ts';
import { RequestRing, ReceivedRequest } from './request-ring.ts';
import { TaskSimulator } from './task-services.ts';
import { VideoSimulator } from './video-service.ts';

type BehaviourSource = Behaviour | ((request: ReceivedRequest) => Behaviour);

export interface UpstreamOptions {
  /** 0, the default, takes a free one. */
  port?: number;
  host?: string;
  /** Accepted key or keys; default: any non-empty one. */
  apiKey?: string | readonly string[];
  /** Reply of `GET /v1/models`. */
  models?: readonly string[];
  behaviour?: BehaviourSource;
  /** Number of requests to keep. */
  keepRequests?: number;
  /** Called when a request has ended. */
  onEnd?: (request: ReceivedRequest) => void;
}

export interface Upstream {
  /** Without `/v1`, as a channel's base URL. */
  url: string;
  port: number;
  requests: RequestRing;
  connections: { accepted: number; open: number };
  realtime: RealtimeSimulator;
  /** Services with asynchronous tasks. */
  tasks: TaskSimulator;
  /** A gateway with OpenAI's Videos API. */
  videos: VideoSimulator;
  /** Video services of Chinese vendors. */
  cnVideos: CnVideoSimulator;
  /** Video services of vendors outside China. */
  intlVideos: IntlVideoSimulator;
  /** The default behaviour; may be changed at any time. */
  behaviour: BehaviourSource;
  /** Queues behaviours for the next requests. */
  next: (...behaviours: Behaviour[]) => void;
  close: () => Promise<void>;
}

/** Starts a provider with OpenAI's API and configurable faults. */
export async function startUpstream(options: UpstreamOptions = {}): Promise<Upstream> {
  const { host = '127.0.0.1', apiKey, models = defaultModels, onEnd } = options;
  const door = { keys: typeof apiKey === 'string' ? [apiKey] : apiKey, models, kept: new KeptThings() };
  const queue: Behaviour[] = [];
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 });
  const upstream: Upstream = {
    url: '',
    port: 0,
    requests: new RequestRing(options.keepRequests ?? 1000),
    connections: { accepted: 0, open: 0 },
    realtime: new RealtimeSimulator(),
    tasks: new TaskSimulator(),
    videos: new VideoSimulator(),
    cnVideos: new CnVideoSimulator(),
    intlVideos: new IntlVideoSimulator(),
    behaviour: options.behaviour ?? {},
    next: (...behaviours) => void queue.push(...behaviours),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        upstream.realtime.close();
        server.closeAllConnections();
      }),
  };

  const taskServices: readonly [RegExp, TaskService][] = [
    [/^\/(?:mj|suno)\//, upstream.tasks],
    [/^\/v1\/videos(?:[/?]|$)/, upstream.videos],
    [/^\/cn\//, upstream.cnVideos],
  ];

  server.on('connection', (socket) => {
    const { connections, behaviour } = upstream;
    connections.accepted++;
    connections.open++;
    socket.once('close', () => connections.open--);
    if (typeof behaviour !== 'function' && behaviour.fault === 'refuse' && queue.length === 0) socket.destroy();
  });

  upstream.realtime.listen(server, (authorization) => checkKey(authorization, door.keys) === undefined);

  server.on('request', (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const [first] = chunks;
      const body = first && chunks.length === 1 ? first : Buffer.concat(chunks);
      const request = new ReceivedRequest(req.method ?? '', req.url ?? '', req.headers, body);
      res.once('close', () => {
        if (request.outcome === 'open') request.outcome = res.writableFinished ? 'answered' : 'client_closed';
        upstream.requests.changed(request);
        onEnd?.(request);
      });
      const service = upstream.intlVideos.owns(request.path)
        ? upstream.intlVideos
        : taskServices.find(([path]) => path.test(request.path))?.[1];
      if (service) {
        upstream.requests.add(request);
        void answerTask(service, req, res, request);
        return;
      }
      const { behaviour } = upstream;
      const configured = queue.shift() ?? (typeof behaviour === 'function' ? behaviour(request) : behaviour);
      upstream.requests.add(request);
      respond(req, res, request, answerTo(request, configured, door));
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  upstream.port = (server.address() as AddressInfo).port; // listening on a TCP port, so not a pipe's name
  upstream.url = `http://${host.includes(':') ? `[${host}]` : host}:${upstream.port}`;
  return upstream;
}

interface TaskService {
  answer(request: ReceivedRequest): MaybePromise<SimulatedReply | 'cut' | undefined>;
}

type MaybePromise<T> = T | Promise<T>;

async function answerTask(
  tasks: TaskService,
  req: IncomingMessage,
  res: ServerResponse,
  request: ReceivedRequest,
): Promise<void> {
  const reply = await tasks.answer(request);
  if (reply === 'cut' || !reply) {
    request.outcome = 'cut';
    req.socket.destroy();
    return;
  }
  respond(req, res, request, { behaviour: {}, reply });
}

function respond(req: IncomingMessage, res: ServerResponse, request: ReceivedRequest, answer: SimulatedAnswer): void {
  const { behaviour, reply } = answer;
  const cut = () => {
    request.outcome = 'cut';
  };
  if (behaviour.fault === 'hang') return;
  if (behaviour.fault === 'refuse') {
    cut();
    req.socket.destroy();
    return;
  }
  const send = () => {
    request.status = reply.status;
    deliver(res, reply, cut);
  };
  if (behaviour.until) return void behaviour.until.then(send);
  if (!behaviour.delayMs) return send();
  const timer = setTimeout(send, behaviour.delayMs);
  res.once('close', () => clearTimeout(timer));
}
