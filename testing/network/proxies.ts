import type { IncomingMessage } from 'node:http';
import { createServer, request, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer as createTcpServer } from 'node:net';
import { createServer as createTlsConnections } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import { testCertificate } from './tls-for-tests.ts';

/** A proxy with the destinations requested from it. */
export interface TestProxy {
  port: number;
  requested: string[];
  /** Required `user:password`; undefined for no authentication. */
  user: string | undefined;
}

const basic = (user: string): string => `Basic ${Buffer.from(user).toString('base64')}`;

function join(from: Socket, to: Socket): void {
  for (const [one, other] of [
    [from, to],
    [to, from],
  ] as const) {
    one.on('error', () => other.destroy());
    one.pipe(other);
  }
}

/** An HTTP proxy for a suite, with CONNECT and forwarding. */
export function httpProxyForSuite(scheme: 'http' | 'https' = 'http'): () => TestProxy {
  const proxy: TestProxy = { port: 0, requested: [], user: undefined };
  const mayPass = ({ headers }: IncomingMessage) =>
    proxy.user === undefined || headers['proxy-authorization'] === basic(proxy.user);
  const forward: RequestListener = (incoming, response) => {
    proxy.requested.push(incoming.url ?? '');
    if (!mayPass(incoming)) return void response.writeHead(407).end();
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const onward = request(incoming.url ?? '', { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  };
  const server = scheme === 'http' ? createServer(forward) : createTlsServer(testCertificate, forward);
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    proxy.requested.push(`CONNECT ${incoming.url}`);
    if (!mayPass(incoming)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const [host, port] = (incoming.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      join(socket, onward);
    });
    onward.on('error', () => socket.destroy());
  });
  return listening(server, proxy);
}

/** A SOCKS5 proxy for a suite (RFC 1928, and RFC 1929 for the password). */
export function socksProxyForSuite(): () => TestProxy {
  const proxy: TestProxy = { port: 0, requested: [], user: undefined };
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    void serveSocks(socket, proxy).catch(() => socket.destroy());
  });
  return listening(server, proxy);
}

async function serveSocks(socket: Socket, proxy: TestProxy): Promise<void> {
  const [, methods] = await read(socket, 2);
  await read(socket, methods!);
  socket.write(Buffer.from([5, proxy.user === undefined ? 0 : 2]));
  if (proxy.user !== undefined) {
    const name = await read(socket, (await read(socket, 2))[1]!);
    const password = await read(socket, (await read(socket, 1))[0]!);
    const isRight = `${name.toString()}:${password.toString()}` === proxy.user;
    socket.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) return void socket.end();
  }
  const [, , , kind] = await read(socket, 4);
  const host =
    kind === 3 ? (await read(socket, (await read(socket, 1))[0]!)).toString() : [...(await read(socket, 4))].join('.');
  const port = (await read(socket, 2)).readUInt16BE();
  proxy.requested.push(`${host}:${port}`);
  const socksReply = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
  const onward = connect(port, host, () => {
    socket.write(socksReply(0));
    join(socket, onward);
  });
  onward.on('error', () => socket.end(socksReply(5)));
}

/** Reads exactly `count` bytes. */
async function read(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(count) as Buffer | null; // a socket without an encoding reads buffers
    if (bytes) return bytes;
    if (socket.readableEnded || socket.destroyed) throw new Error('the connection ended');
    await new Promise<void>((resolve) => {
      socket.once('readable', resolve);
      socket.once('close', resolve);
    });
  }
}

/** An upstream behind TLS for a suite. */
export function encryptedForSuite(upstream: () => { url: string }): () => { port: number } {
  const server = createTlsConnections(testCertificate, (socket) => {
    const { hostname, port } = new URL(upstream().url);
    join(socket, connect(Number(port), hostname));
  });
  return listening(server, { port: 0, requested: [], user: undefined });
}

function listening(server: Server, proxy: TestProxy): () => TestProxy {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    proxy.port = (server.address() as AddressInfo).port; // a TCP port, so not a pipe's name
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return () => proxy;
}
