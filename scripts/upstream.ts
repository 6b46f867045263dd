import { parseArgs } from 'node:util';
import { BehaviourError, faults, readBehaviour, type Behaviour } from '../server/upstream-simulator/behaviour.ts';
import { defaultModels } from '../server/upstream-simulator/models.ts';
import type { ReceivedRequest } from '../server/upstream-simulator/request-ring.ts';
import { startUpstream } from '../server/upstream-simulator/start-upstream.ts';

const usage = `A simulated provider for trying Relay Hub without a key. Speaks OpenAI's wire format and can simulate faults.

  npm run upstream -- [--port 4010] [--host 127.0.0.1] [--key sk-…] [--quiet]
                      [--delay ms] [--first-token ms] [--chunk-ms ms] [--chunks n] [--fault name]

Faults: ${faults.join(', ')}
Per request: by model name (sim-slow, sim:chunks=50;chunkMs=20) or header (x-sim: {"status":429}).
`;

const say = (line: string) => void process.stdout.write(`${line}\n`);

function readFlags() {
  const text = { type: 'string' } as const;
  const yes = { type: 'boolean' } as const;
  return parseArgs({
    options: {
      port: text,
      host: text,
      key: text,
      delay: text,
      'first-token': text,
      'chunk-ms': text,
      chunks: text,
      fault: text,
      quiet: yes,
      help: yes,
    },
  }).values;
}

function behaviourOf(flags: ReturnType<typeof readFlags>): Behaviour {
  const named = {
    delayMs: flags.delay,
    firstTokenMs: flags['first-token'],
    chunkMs: flags['chunk-ms'],
    chunks: flags.chunks,
    fault: flags.fault,
  };
  const pairs = Object.entries(named).filter(([, value]) => value !== undefined);
  return readBehaviour(pairs.map(([name, value]) => `${name}=${value}`).join(';'));
}

function describe(request: ReceivedRequest): string {
  const model = /"model"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(request.body)?.[1] ?? '';
  const how = request.outcome === 'answered' ? String(request.status) : request.outcome;
  return `${request.method} ${request.path} ${model} ${how} ${Date.now() - request.at} ms`.replace(/ +/g, ' ');
}

async function main(): Promise<void> {
  const flags = readFlags();
  if (flags.help) {
    say(usage);
    return;
  }
  const quiet = flags.quiet === true;
  const upstream = await startUpstream({
    port: Number(flags.port ?? 4010),
    host: flags.host ?? '127.0.0.1',
    behaviour: behaviourOf(flags),
    ...(flags.key !== undefined && { apiKey: flags.key }),
    ...(!quiet && { onEnd: (request) => say(describe(request)) }),
  });
  say(`Simulated upstream on ${upstream.url} (stop it with Ctrl-C)`);
  say(`Models: ${defaultModels.join(', ')}; any other name works too`);
  say(
    `Channel: type OpenAI, base URL ${upstream.url}, key ${flags.key ?? 'sk-anything'}, models gpt-4o-mini,text-embedding-3-small`,
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void upstream.close());
}

main().catch((error: unknown) => {
  const known = error instanceof BehaviourError || (error instanceof Error && 'code' in error);
  process.stderr.write(
    known ? `${error.message}\nTry --help.\n` : `${String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exitCode = 1;
});
