import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';

/** OpenAI takes events of up to 15 MiB. */
export const MESSAGE_LIMIT = 16 * 1024 * 1024;

/** The caller's connection and the bytes that came with the upgrade request. */
export interface Upgrade {
  socket: Duplex;
  head: Buffer;
}

/** What makes WebSockets of sockets; loaded at the first session, because most servers see none. */
export interface Sockets {
  /** Greets the caller. Undefined: he has left. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket | undefined>;
  /** The caller's end of a connection whose other end has switched already. */
  switched(socket: Duplex): WebSocket;
}

/** What the package itself makes of a socket that has switched. */
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
    // The key that browsers send as a protocol is never told back.
    handleProtocols: (offered) => (offered.has('realtime') ? 'realtime' : false),
  });
  return {
    accept: (request, socket, head) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(undefined);
        server.handleUpgrade(request, socket, head, resolve);
      }),
    switched(socket) {
      // The package dials by itself only, past our proxies and guards; what it makes of a socket is the same.
      const made = new (Socket as unknown as MakeSwitchable)(null, undefined, { autoPong: true });

      made._isServer = false;
      made.setSocket(socket, Buffer.alloc(0), { allowSynchronousEvents: true, skipUTF8Validation: false, ...limits });
      return made;
    },
  };
}
