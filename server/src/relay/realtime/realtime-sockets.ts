import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';

/** OpenAI accepts events of up to 15 MiB. */
export const MESSAGE_LIMIT = 16 * 1024 * 1024;

/** The caller's connection and the bytes that came with the upgrade request. */
export interface Upgrade {
  socket: Duplex;
  head: Buffer;
}

/** WebSocket library; loaded with the first session, since most servers have none. */
export interface Sockets {
  /** Completes the caller's handshake. Undefined: the caller has left. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket | undefined>;
  /** Our end of an upstream connection that has already been upgraded. */
  switched(socket: Duplex): WebSocket;
}

/** Internals of the package that accept an upgraded socket. */
interface Switchable extends WebSocket {
  _isServer: boolean;
  setSocket(socket: Duplex, head: Buffer, options: object): void;
}
type MakeSwitchable = new (address: null, protocols: undefined, options: object) => Switchable;

let loading: Promise<Sockets> | undefined;

export const loadSockets = (): Promise<Sockets> => (loading ??= load());

const limits = { maxPayload: MESSAGE_LIMIT, maxFragments: 1024, maxBufferedChunks: 65_536 };

async function load(): Promise<Sockets> {
  const { WebSocket: Socket, WebSocketServer: Server } = await import('ws');
  const server: WebSocketServer = new Server({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    ...limits,
    // The API key that browsers send as a protocol is never echoed.
    handleProtocols: (offered) => (offered.has('realtime') ? 'realtime' : false),
  });
  return {
    accept: (request, socket, head) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(undefined);
        server.handleUpgrade(request, socket, head, resolve);
      }),
    switched(socket) {
      // The package only dials by itself, without our proxies and guards.
      const made = new (Socket as unknown as MakeSwitchable)(null, undefined, { autoPong: true });

      made._isServer = false;
      made.setSocket(socket, Buffer.alloc(0), { allowSynchronousEvents: true, skipUTF8Validation: false, ...limits });
      return made;
    },
  };
}
