import { type Incident, incidentApi, type InputOf, type ReplyOf } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BellOff } from 'lucide-react';
import { useForm } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { FormTextarea } from '#ui/form/form-text.tsx';
import { formatDate } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { incidentDetail, refreshIncidents } from './incident-api.ts';
import { IncidentStatus } from './incident-row.tsx';

type Detail = ReplyOf<typeof incidentApi.get>;
type Change = InputOf<typeof incidentApi.update>['body'];

/** One incident: what to do, its timeline, a note, and its calls. */
export function IncidentDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('incident');
  const { data, error, isFetching, refetch } = useQuery(incidentDetail(id));
  return (
    <DetailDrawer
      title={data?.title ?? t('title')}
      subtitle={data && <IncidentStatus incident={data} />}
      footer={data?.closed_at === 0 && <Actions incident={data} />}
      onClose={onClose}
    >
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton width="60%" />}
      {data && (
        <>
          {data.closed_at === 0 && (
            <DetailSection title={t('what')}>
              <p className="text-13 text-text2">{data.advice}</p>
            </DetailSection>
          )}
          {data.cause !== '' && (
            <DetailSection title={t('cause')}>
              <p className="font-mono text-12 break-words text-text2">{data.cause}</p>
            </DetailSection>
          )}
          <Places incident={data} />
          <Timeline incident={data} />
          <Note key={data.id} incident={data} />
        </>
      )}
    </DetailDrawer>
  );
}

function useChange(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Change) => call(incidentApi.update, { params: { id }, body }),
    onSettled: () => refreshIncidents(client),
  });
}

const spansS = { hour: 3600, four: 4 * 3600, day: 86_400, week: 7 * 86_400 } as const;
type Span = keyof typeof spansS;

function Actions({ incident: { id, acknowledged_by: by, muted_until: muted } }: { incident: Incident }) {
  const { t } = useTranslation('incident');
  const change = useChange(id);
  const now = useNow(30);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        variant={by === '' ? 'primary' : 'default'}
        saves
        busy={change.isPending}
        onClick={() => change.mutate({ acknowledged: by === '' })}
      >
        {t(by === '' ? 'acknowledge' : 'unacknowledge')}
      </Button>
      {muted > now ? (
        <>
          <Button saves onClick={() => change.mutate({ muted_until: 0 })}>
            {t('unmute')}
          </Button>
          <span className="text-12 text-text3">
            {t('mutedUntil')} <Time at={muted} />
          </span>
        </>
      ) : (
        <MenuButton
          label={t('mute')}
          icon={BellOff}
          iconOnly={false}
          entries={() =>
            (Object.keys(spansS) as Span[]) // its own keys
              .map((span) => ({
                label: t(`muteFor.${span}`),
                saves: true,
                onSelect: () => change.mutate({ muted_until: Math.floor(now) + spansS[span] }),
              }))
          }
        />
      )}
    </div>
  );
}

/** Where to look: the channel, and the calls of its time. */
function Places({ incident: { kind, params, began_at: began, closed_at: closed } }: { incident: Incident }) {
  const { t } = useTranslation('incident');
  const now = useNow(60);
  const { channel, model } = params;
  const time = `${formatDate(began)}..${formatDate(closed || now)}`;
  const isOfCalls = kind === 'refusals' || kind === 'success';
  if (typeof channel !== 'number' && typeof model !== 'string' && !isOfCalls) return null;
  const filter = {
    time,
    ...(typeof channel === 'number' && { channel_id: channel }),
    ...(typeof model === 'string' && { model_name: model }),
  };
  return (
    <div className="mt-5 flex flex-wrap gap-2">
      {typeof channel === 'number' && (
        <Button size="sm" render={<Link to="/panel/channel" search={{ edit: String(channel) }} />}>
          {t('openChannel')}
        </Button>
      )}
      <Button size="sm" render={<Link to="/panel/log" search={filter} />}>
        {t('calls')}
      </Button>
    </div>
  );
}

function Timeline({ incident }: { incident: Detail }) {
  const { t } = useTranslation('incident');
  const { began_at: began, opened_at: opened, closed_at: closed, messages } = incident;
  const { acknowledged_by: by, acknowledged_at: acknowledged } = incident;
  const steps = [
    ...(began < opened ? [{ at: began, text: t('began') }] : []),
    { at: opened, text: t('noticed') },
    ...messages.map(({ time, way, status, answer }) => ({
      at: time,
      text: t('told', { way, state: t(`state.${status}`) }),
      detail: status === 'failed' ? answer : '',
    })),
    ...(by === '' ? [] : [{ at: acknowledged, text: t('acknowledgedBy', { name: by }) }]),
    ...(closed === 0 ? [] : [{ at: closed, text: t('over') }]),
  ].toSorted((a, b) => a.at - b.at);
  return (
    <DetailSection title={t('timeline')}>
      <ol className="grid grid-cols-1 gap-2 border-l border-line pl-4 text-13">
        {steps.map((step, at) => (
          <li key={at} className="flex flex-wrap gap-x-3">
            <span className="w-40 flex-none text-text3 tabular-nums max-sm:w-full">
              <Time at={step.at} />
            </span>
            <span className="min-w-0 break-words">{step.text}</span>
            {'detail' in step && step.detail !== '' && (
              <span className="w-full font-mono text-12 break-words text-text3">{step.detail}</span>
            )}
          </li>
        ))}
      </ol>
    </DetailSection>
  );
}

function Note({ incident: { id, note } }: { incident: Incident }) {
  const { t } = useTranslation('incident');
  const form = useForm({ defaultValues: { note } });
  const change = useChange(id);
  const save = form.handleSubmit(async (values) => {
    const saved = await change.mutateAsync(values).catch(() => undefined);
    // The request shows its own error.
    if (!saved) return;
    form.reset({ note: saved.note });
    toast.success(t('saved'));
  });
  return (
    <form className="mt-5 grid grid-cols-1 gap-2" onSubmit={(event) => void save(event)}>
      <FormTextarea control={form.control} name="note" label={t('note')} hint={t('noteHint')} maxLength={2000} />
      <div>
        <Button type="submit" size="sm" busy={change.isPending} disabled={!form.formState.isDirty}>
          {t('saveNote')}
        </Button>
      </div>
    </form>
  );
}
