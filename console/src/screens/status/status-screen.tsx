import { statusPageApi, type StatusReport } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Activity, Rss, Wrench } from 'lucide-react';
import { lazy, Suspense, type ReactNode } from 'react';
import { addressOf } from '#api/call.ts';
import { ApiError } from '#api/api-error.ts';
import { useSession } from '#api/session.ts';
import { statusQuery } from '#api/status-page.ts';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatWindow, formatTimeOfDay } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { ModelRow, StatusRow } from './model-row.tsx';

const PublishCard = lazy(async () => ({ default: (await import('./publish-card.tsx')).PublishCard }));

/** Success and speed of the models, incidents that an operator published, and planned maintenance. */
export function StatusScreen() {
  const { t } = useTranslation('status');
  const { isAdmin } = useSession();
  const { data, error, isFetching, refetch } = useQuery(statusQuery);
  return (
    <div className="grid grid-cols-1 gap-4 py-8 text-14 max-sm:gap-3 max-sm:py-5">
      <header className="flex flex-wrap items-end gap-x-6 gap-y-1">
        <div className="min-w-0 flex-1 basis-80">
          <h1 className="text-24">{t('title')}</h1>
          <p className="text-15 text-text2">{data ? <Overall report={data} /> : t('text')}</p>
        </div>
        {data && <Feeds />}
      </header>
      {error && !data && (
        <Card>
          {error instanceof ApiError && error.status === 404 ? (
            <EmptyState
              icon={Activity}
              title={t('off')}
              text={t('offText')}
              action={
                isAdmin ? (
                  <Button variant="primary" render={<Link to="/panel/setting" hash="StatusPageEnabled" />}>
                    {t('turnOn')}
                  </Button>
                ) : (
                  <Button render={<Link to="/" />}>{t('toHome')}</Button>
                )
              }
            />
          ) : (
            <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
          )}
        </Card>
      )}
      {data && (
        <>
          <Maintenance report={data} />
          <Incidents report={data} />
          {isAdmin && (
            <Suspense>
              <PublishCard />
            </Suspense>
          )}
          <Endpoints report={data} />
          <Models report={data} />
        </>
      )}
    </div>
  );
}

function Overall({ report: { models, incidents } }: { report: StatusReport }) {
  const { t } = useTranslation('status');
  const troubled = models.filter(({ state }) => state === 'failing' || state === 'degraded').length;
  if (incidents.some(({ closed_at: closed }) => closed === 0)) return t('openIncident');
  if (troubled > 0) return t('troubled', { count: troubled });
  return t(models.some(({ state }) => state === 'fine') ? 'allFine' : 'text');
}

function Feeds() {
  const link = (href: string, name: string): ReactNode => (
    <a href={atBase(href)} className="touch text-text2 underline underline-offset-3 hover:text-text">
      {name}
    </a>
  );
  return (
    <p className="flex items-center gap-3 text-13">
      <Icon of={Rss} className="text-text2" />
      {link(addressOf(statusPageApi.atomFeed.path, undefined, undefined), 'Atom')}
      {link(addressOf(statusPageApi.jsonFeed.path, undefined, undefined), 'JSON')}
    </p>
  );
}

function Maintenance({ report: { maintenance } }: { report: StatusReport }) {
  const { t } = useTranslation('status');
  if (maintenance.length === 0) return null;
  return (
    <Card>
      <CardHead title={t('maintenance')} />
      <ul className="divide-y divide-line border-t border-line">
        {maintenance.map(({ id, text, start_time: start, end_time: end }) => (
          <li key={id} className="grid gap-1 px-4 py-3">
            <span className="flex flex-wrap items-center gap-x-2 font-title text-warn">
              <Icon of={Wrench} />
              <span className="tabular-nums">{formatWindow(start, end)}</span>
            </span>
            <p className="break-words whitespace-pre-line">{text}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Incidents({ report: { incidents } }: { report: StatusReport }) {
  const { t } = useTranslation('status');
  if (incidents.length === 0) return null;
  return (
    <Card>
      <CardHead title={t('incidents')} />
      <ul className="divide-y divide-line border-t border-line">
        {incidents.map(({ id, words, began_at: began, closed_at: closed }) => (
          <li key={id} className="grid gap-1 px-4 py-3">
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Status kind={closed === 0 ? 'failing' : 'done'} text={t(closed === 0 ? 'open' : 'over')} />
              <span className="text-13 text-text2">
                <Time at={began} />
                {closed > 0 && (
                  <>
                    {' – '}
                    <Time at={closed} />
                  </>
                )}
              </span>
            </span>
            <p className="break-words whitespace-pre-line">{words}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Endpoints({ report: { endpoints, days } }: { report: StatusReport }) {
  const { t } = useTranslation('status');
  if (endpoints.length === 0) return null;
  return (
    <Card>
      <CardHead title={t('endpoints')} />
      <ul className="divide-y divide-line border-t border-line">
        {endpoints.map(({ name, ...part }) => {
          const title = t(`endpoint.${name}`);
          return (
            <StatusRow
              key={name}
              name={title}
              title={<span className="font-title">{title}</span>}
              part={part}
              days={days}
            />
          );
        })}
      </ul>
    </Card>
  );
}

function Models({ report }: { report: StatusReport }) {
  const { t } = useTranslation('status');
  const { models, days, recent_from: since } = report;
  const called = models.filter(({ total }) => total.calls > 0);
  return (
    <Card>
      <CardHead
        title={t('models')}
        aside={<span className="text-13 text-text3">{t('since', { time: formatTimeOfDay(since).slice(0, 5) })}</span>}
      />
      {called.length === 0 ? (
        <EmptyState icon={Activity} title={t('none')} text={t('noneText')} />
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          {called.map((model) => (
            <ModelRow key={model.name} model={model} days={days} />
          ))}
        </ul>
      )}
    </Card>
  );
}
