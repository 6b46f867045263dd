import { flag, readCommand, text, whole } from '../server/src/process/command-line.ts';
import { BehaviourError, faults, readBehaviour, type Behaviour } from '../testing/upstream-simulator/behaviour.ts';
import { defaultModels } from '../testing/upstream-simulator/models.ts';
import type { ReceivedRequest } from '../testing/upstream-simulator/request-ring.ts';
import { startUpstream } from '../testing/upstream-simulator/start-upstream.ts';

const flags = readCommand({
  name: 'upstream',
  about:
    "A simulated provider for trying Relay Hub without a key. Speaks OpenAI's wire format and can simulate faults.",
  options: {
    port: whole('<number>', 'default: 4010; 0: any free one', 4010),
    host: text('<address>', 'default: 127.0.0.1', '127.0.0.1'),
    key: text('<key>', 'the only key that it takes; default: any', undefined),
    delay: text('<ms>', 'time before an answer', undefined),
    'first-token': text('<ms>', 'time before the first token of a stream', undefined),
    'chunk-ms': text('<ms>', 'time between two chunks of a stream', undefined),
    chunks: text('<number>', 'chunks of a stream', undefined),
    fault: text('<name>', `one of ${faults.join(', ')}`, undefined),
    quiet: flag('print no line for each request'),
  },
  more: 'Per request: by model name (sim-slow, sim:chunks=50;chunkMs=20) or header (x-sim: {"status":429}).',
});

const say = (line: string) => void process.stdout.write(`${line}\n`);

function behaviourOf(): Behaviour {
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
  const upstream = await startUpstream({
    port: flags.port,
    host: flags.host,
    behaviour: behaviourOf(),
    ...(flags.key !== undefined && { apiKey: flags.key }),
    ...(!flags.quiet && { onEnd: (request) => say(describe(request)) }),
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
