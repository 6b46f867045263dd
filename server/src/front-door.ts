import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Deps } from './deps.ts';
import { belowBasePath, refuseOutside } from './http/base-path.ts';
import { namesTwoHosts, refuseHosts } from './http/host-header.ts';
import { answerMalformed } from './http/malformed-request.ts';
import { createServer } from './http/node-http.ts';
import { originForm } from './http/origin-form.ts';
import type { Relay } from '#relay/routes/relay.ts';
import { isClientsMistake, servedUrl } from '#relay/routes/typed-address.ts';

/**
 * The HTTP server: requests of API clients go to the relay, all others to `management`, whose connections `managed` holds
 * while a request is answered.
 */
export function frontDoor(
  { config, connections, lifecycle }: Pick<Deps, 'config' | 'connections' | 'lifecycle'>,
  relay: Relay,
  managed: Set<Socket>,
  management: RequestListener,
): Server {
  /** The URL that is served; undefined outside of the base path. */
  const urlOf = (request: IncomingMessage): string | undefined => {
    const url = belowBasePath(originForm(request.url ?? '/'), config.basePath);
    return url === undefined ? undefined : servedUrl(url, request);
  };
  const options = {
    ...connections.serverOptions,
    // The request keeps its URL: without an upgrade it becomes a plain request.
    shouldUpgradeCallback: (request: IncomingMessage) => relay.upgrades(urlOf(request) ?? '', request),
  };
  const server = createServer(options, (request, response) => {
    connections.asks(request, response);
    // The client's next request goes to another node.
    if (lifecycle.stopping) response.setHeader('connection', 'close');
    if (namesTwoHosts(request.rawHeaders)) return refuseHosts(response);
    const url = urlOf(request);
    if (url === undefined) return refuseOutside(request, response, config.basePath);
    request.url = url;
    if (relay.owns(url) || isClientsMistake(url, request)) return relay.handle(request, response);
    const { socket } = request;
    managed.add(socket);
    response.once('close', () => managed.delete(socket));
    management(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    request.url = urlOf(request) ?? '';
    if (namesTwoHosts(request.rawHeaders)) answerMalformed(new Error('two hosts'), request.socket, connections);
    else relay.upgrade(request, socket, head);
  });
  connections.guard(server);
  // Other expectations than 100-continue get the usual response.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}
