import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Chromium's "Slow 4G" as a line: its latency per request is 3.75 round trips. */
const line = { roundTripMs: 150, bytesPerS: { down: 1_440_000 / 8, up: 675_000 / 8 } };
/** Bytes of a connection that are under way before it is paused, so that connections share the line. */
const mostUnderWay = 32_768;
const packet = 1_460;

/** A line on loopback in front of `port`. Unlike the emulation of the browser it also delays handshakes. */
export async function startSlowLine(port: number): Promise<{ port: number; stop(): Promise<void> }> {
  const open = new Set<Socket>();
  const [up, down] = [oneWay(line.bytesPerS.up), oneWay(line.bytesPerS.down)];
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: 'localhost', noDelay: true });
    // The TCP handshake takes a round trip, but the one on loopback is already done.
    up(client, upstream, performance.now() + line.roundTripMs);
    down(upstream, client, 0);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // a TCP server that listens
    async stop() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** One direction, whose rate all connections share: passes on packets after their transfer and half a round trip. */
function oneWay(bytesPerS: number): (from: Socket, to: Socket, notBefore: number) => void {
  let freeAt = 0;
  return (from, to, notBefore) => {
    const queue: { part: Buffer; at: number }[] = [];
    let underWay = 0;
    let ended = false;
    const passOn = (): void => {
      for (let first = queue[0]; first && first.at <= performance.now(); first = queue[0]) {
        queue.shift();
        underWay -= first.part.length;
        to.write(first.part);
      }
      if (underWay < mostUnderWay) from.resume();
      if (queue[0]) setTimeout(passOn, Math.max(0, queue[0].at - performance.now()));
      else if (ended) to.end();
    };
    from.on('data', (data: Buffer) => {
      if (queue.length === 0) setTimeout(passOn, line.roundTripMs / 2);
      for (let start = 0; start < data.length; start += packet) {
        const part = data.subarray(start, start + packet);
        freeAt = Math.max(freeAt, performance.now(), notBefore) + (part.length / bytesPerS) * 1000;
        queue.push({ part, at: freeAt + line.roundTripMs / 2 });
      }
      underWay += data.length;
      if (underWay >= mostUnderWay) from.pause();
    });
    from.on('end', () => {
      ended = true;
      if (queue.length === 0) to.end();
    });
  };
}
