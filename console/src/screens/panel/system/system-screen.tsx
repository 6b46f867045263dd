import { systemQueues, type Job, type System, type SystemNode } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Badge } from '#ui/basic/badge.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { NumberCard } from '#ui/basic/number-card.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatFixed, formatPercent, formatPlain, formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';
import { systemState } from './route.tsx';

/** A node sends a sign of life every 5 seconds. */
const silentAfterS = 20;

/** Nodes, database, queues and jobs of the site. */
export function SystemScreen() {
  const { t } = useTranslation('system');
  const { data, error, isFetching, refetch } = useQuery(systemState);
  return (
    <>
      <PageHeader title={t('title')} text={t('text')} />
      {error && !data ? (
        <Card>
          <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
        </Card>
      ) : (
        <div className="grid grid-cols-1 gap-4 max-sm:gap-2">
          <Figures system={data} />
          {data ? (
            <>
              {data.upgrade && <Upgrade upgrade={data.upgrade} />}
              <Nodes system={data} />
              <div className="grid grid-cols-1 items-start gap-4 max-sm:gap-2 lg:grid-cols-2">
                <div className="grid grid-cols-1 gap-4 max-sm:gap-2">
                  <Queues queues={data.queues} />
                  {data.database.tables.length > 0 && <Tables tables={data.database.tables} />}
                </div>
                <div className="grid grid-cols-1 gap-4 max-sm:gap-2">
                  <Telemetry nodes={data.nodes} />
                  <Jobs nodes={data.nodes} />
                </div>
              </div>
            </>
          ) : (
            <Card className="grid h-40 content-center gap-4 px-4">
              <Skeleton width="40%" />
              <Skeleton width="70%" />
            </Card>
          )}
        </div>
      )}
    </>
  );
}

const databaseNames = { sqlite: 'SQLite', postgresql: 'PostgreSQL' };

/** Binary units: "3.2 GiB". */
function formatSize(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes / 1024;
  let unit = 0;
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1024;
  return `${formatFixed(size, size < 10 ? 1 : 0)} ${units[unit] ?? ''}`;
}

function Figures({ system }: { system: System | undefined }) {
  const { t } = useTranslation('system');
  const states = system?.nodes.flatMap(({ state }) => state ?? []) ?? [];
  const least = states.toSorted((one, other) => one.disk_free - other.disk_free)[0];
  const sum = (of: (state: (typeof states)[number]) => number) =>
    formatWhole(states.reduce((total, state) => total + of(state), 0));
  const given = (text: string) => (system ? text : undefined);
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:gap-2 lg:grid-cols-4">
      <NumberCard name={t('running')} note={given(t('version', { version: system?.version ?? '' }))}>
        {given(formatWhole(system?.nodes.length ?? 0))}
      </NumberCard>
      <NumberCard name={t('openCalls')} note={given(t('waiting', { count: sum(({ waiting }) => waiting) }))}>
        {given(sum(({ open_calls: open }) => open))}
      </NumberCard>
      <NumberCard name={t('database')} note={system && aboutDatabase(system.database, t)}>
        {system && formatSize(system.database.bytes)}
      </NumberCard>
      <NumberCard name={t('diskFree')} note={given(least ? t('ofSize', { size: formatSize(least.disk_size) }) : '–')}>
        {given(least ? formatSize(least.disk_free) : '–')}
      </NumberCard>
    </div>
  );
}

function aboutDatabase(
  { kind, version, latency, connections, connections_limit: most }: System['database'],
  t: ReturnType<typeof useTranslation<'system'>>['t'],
): string {
  const parts = [`${databaseNames[kind]} ${version}`, t('latency', { ms: formatPlain(latency, 2) })];
  if (kind === 'postgresql') parts.push(t('connections', { used: formatWhole(connections), most: formatWhole(most) }));
  return parts.join(' · ');
}

function Sheet({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <Card className="min-w-0">
      <CardHead id={id} title={title} />
      <div role="region" aria-labelledby={id} tabIndex={0} className="overflow-x-auto">
        <table className="w-full border-t border-line text-13 tabular-nums">{children}</table>
      </div>
    </Card>
  );
}

function Head({ names, left = 1 }: { names: readonly string[]; left?: number }) {
  return (
    <thead>
      <tr className="text-12 text-text3 *:px-2.5 *:py-2 *:font-normal *:whitespace-nowrap *:first:pl-4 *:last:pr-4">
        {names.map((name, at) => (
          <th key={name} scope="col" className={at < left ? 'text-left' : 'text-right'}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const rows =
  'divide-y divide-line border-t border-line [&_tr]:*:px-2.5 [&_tr]:*:py-2 [&_tr]:*:first:pl-4 [&_tr]:*:last:pr-4';

function Nodes({ system: { nodes, time } }: { system: System }) {
  const { t } = useTranslation('system');
  const names = [
    'node',
    'state',
    'started',
    'calls',
    'cpu',
    'memory',
    'delay',
    'journal',
    'diskFree',
    'redisName',
  ] as const;
  return (
    <Sheet id="system-nodes" title={t('nodes')}>
      <Head names={names.map((name) => t(name))} left={2} />
      <tbody className={rows}>
        {nodes.map((node) => (
          <Node key={node.id} node={node} silent={time - node.seen_time > silentAfterS} />
        ))}
      </tbody>
    </Sheet>
  );
}

function Upgrade({ upgrade: { versions, waiting } }: { upgrade: NonNullable<System['upgrade']> }) {
  const { t } = useTranslation('system');
  const names = versions.map(({ version, nodes }) => `${version || t('olderVersion')} (${formatWhole(nodes)})`);
  return (
    <Note live>
      <p>{t('upgrade', { versions: names.join(' · ') })}</p>
      {waiting.length > 0 && (
        <>
          <p className="mt-1">{t('waitingSteps')}</p>
          <ul className="font-mono text-12">
            {waiting.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ul>
        </>
      )}
    </Note>
  );
}

function Node({ node, silent }: { node: SystemNode; silent: boolean }) {
  const { t } = useTranslation('system');
  const { state } = node;
  const cells = state
    ? [
        formatWhole(state.open_calls),
        formatPercent(state.cpu, 0),
        formatSize(state.memory),
        t('ms', { ms: formatPlain(state.delay, 1) }),
        formatSize(state.journal),
        `${formatSize(state.disk_free)} / ${formatSize(state.disk_size)}`,
        t(`redis.${state.redis}`),
      ]
    : ['–', '–', '–', '–', '–', '–', '–'];
  return (
    <tr>
      <th scope="row" className="text-left font-normal">
        <span className="flex items-center gap-2 font-title whitespace-nowrap">
          {node.host}
          {node.is_this && <Badge>{t('thisNode')}</Badge>}
        </span>
        <span className="text-12 whitespace-nowrap text-text3">
          {t('process', { pid: String(node.pid) })}
          {state && ` · ${state.version} · Node ${state.node_version}`}
        </span>
      </th>
      <td className="whitespace-nowrap">
        {silent ? (
          <Status kind="failed" text={t('silent')} detail={<Time at={node.seen_time} as="relative" />} />
        ) : state && state.refused > 0 ? (
          <Status kind="failed" text={t('refused', { count: formatWhole(state.refused) })} />
        ) : state && state.late > 0 ? (
          <Status
            kind="slow"
            text={t('late', { count: formatWhole(state.waiting), seconds: formatWhole(state.late) })}
          />
        ) : (
          <Status kind="online" text={t(state ? 'fine' : 'noReport')} />
        )}
      </td>
      <td className="text-right whitespace-nowrap">
        <Time at={node.started_time} as="relative" />
      </td>
      {cells.map((text, at) => (
        <td key={at} className="text-right whitespace-nowrap">
          {text}
        </td>
      ))}
    </tr>
  );
}

function Queues({ queues }: Pick<System, 'queues'>) {
  const { t } = useTranslation('system');
  return (
    <Sheet id="system-queues" title={t('queues')}>
      <tbody className={rows}>
        {systemQueues.map((queue) => (
          <tr key={queue}>
            <th scope="row" className="text-left font-normal">
              <span className="block font-title">{t(`queueNames.${queue}`)}</span>
              <span className="text-12 text-text3">{t(`queueTexts.${queue}`)}</span>
            </th>
            <td className="text-right">{formatWhole(queues[queue])}</td>
          </tr>
        ))}
      </tbody>
    </Sheet>
  );
}

function Tables({ tables }: Pick<System['database'], 'tables'>) {
  const { t } = useTranslation('system');
  return (
    <Sheet id="system-tables" title={t('tables')}>
      <tbody className={rows}>
        {tables.map(({ name, bytes }) => (
          <tr key={name}>
            <th scope="row" className="text-left font-mono text-12 font-normal">
              {name}
            </th>
            <td className="text-right whitespace-nowrap">{formatSize(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </Sheet>
  );
}

/** Exports to OpenTelemetry, where there are any. */
function Telemetry({ nodes }: Pick<System, 'nodes'>) {
  const { t } = useTranslation('system');
  const several = nodes.length > 1;
  const signals = nodes.flatMap(({ id, host, state }) => state?.telemetry?.map((of) => ({ id, host, of })) ?? []);
  if (signals.length === 0) return null;
  const names = [t('signal'), t('result'), t('lastExport'), t('exported'), t('dropped')];
  return (
    <Sheet id="system-telemetry" title={t('telemetry')}>
      <Head names={names} left={2} />
      <tbody className={rows}>
        {signals.map(({ id, host, of }) => (
          <tr key={`${id} ${of.signal}`}>
            <th scope="row" className="text-left font-normal">
              {t(`signals.${of.signal}`)}
              {several && <span className="block text-12 text-text3">{host}</span>}
            </th>
            <td>
              {of.error === '' ? (
                <Status kind={of.exported_time > 0 ? 'done' : 'pending'} />
              ) : (
                <Status
                  kind="failed"
                  text={t('exportFailed')}
                  detail={<span className="break-words">{of.error}</span>}
                />
              )}
            </td>
            <td className="text-right whitespace-nowrap">
              {of.exported_time > 0 ? <Time at={of.exported_time} as="relative" /> : '–'}
            </td>
            <td className="text-right">{formatWhole(of.exported)}</td>
            <td className="text-right">{formatWhole(of.dropped)}</td>
          </tr>
        ))}
      </tbody>
    </Sheet>
  );
}

function Jobs({ nodes }: Pick<System, 'nodes'>) {
  const { t } = useTranslation('system');
  const several = nodes.length > 1;
  const jobs = nodes
    .flatMap(({ id, host, state }) => state?.jobs.map((job) => ({ id, host, job })) ?? [])
    .toSorted((one, other) => other.job.failures - one.job.failures);
  if (jobs.length === 0) return null;
  const names = [t('job'), t('result'), t('lastRun'), t('took')];
  return (
    <Sheet id="system-jobs" title={t('jobs')}>
      <Head names={names} left={2} />
      <tbody className={rows}>
        {jobs.map(({ id, host, job }) => (
          <tr key={`${id} ${job.name}`}>
            <th scope="row" className="text-left font-normal">
              {t(`jobNames.${job.name}`)}
              {several && <span className="block text-12 text-text3">{host}</span>}
            </th>
            <td>
              <Result job={job} />
            </td>
            <td className="text-right whitespace-nowrap">
              <Time at={job.ran_time} as="relative" />
            </td>
            <td className="text-right whitespace-nowrap">{t('ms', { ms: formatWhole(job.took) })}</td>
          </tr>
        ))}
      </tbody>
    </Sheet>
  );
}

function Result({ job: { failures, error } }: { job: Job }) {
  const { t } = useTranslation('system');
  if (failures === 0) return <Status kind="done" />;
  return (
    <Status
      kind="failed"
      text={t('failed', { count: failures, times: formatWhole(failures) })}
      detail={<span className="break-words">{error}</span>}
    />
  );
}
