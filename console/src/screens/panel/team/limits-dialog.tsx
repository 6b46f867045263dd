import {
  subjectMeasures,
  subjectPeriods,
  teamApi,
  type SubjectCap,
  type SubjectLimits,
  type Team,
  type TokenCap,
} from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#api/call.ts';
import { CapsEditor } from '#domain/token/caps-editor.tsx';
import { zoneNames } from '#domain/token/zone-names.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { toast } from '#ui/feedback/toast.ts';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { FormDialog } from './form-dialog.tsx';
import type { LimitSubjectChoice } from './limits-card.tsx';
import { refreshTeams } from './team-api.ts';

interface Props {
  team: Team;
  subjects: readonly LimitSubjectChoice[];
  /** Key of the subject that is shown first. */
  first: string;
  onClose: () => void;
}

/** Another cost centre, whose name is typed. */
const OTHER = 'c';

const isSubjectCap = (cap: Pick<TokenCap, 'measure' | 'period'>): cap is SubjectCap =>
  subjectMeasures.some((measure) => measure === cap.measure) && subjectPeriods.some((each) => each === cap.period);

/** All limits of the team, a member or a cost centre. */
export function LimitsDialog({ team, subjects, first, onClose }: Props) {
  const { t } = useTranslation(['team', 'token']);
  const client = useQueryClient();
  const limitsAt = (key: string): SubjectLimits =>
    subjects.find((each) => each.key === key)?.of.limits ?? {
      caps: [],
      reset: 'calendar',
      time_zone: localTimeZone() || 'UTC',
      anchor: 0,
    };
  const [key, setKey] = useState(first);
  const [centre, setCentre] = useState('');
  const [limits, setLimits] = useState(limitsAt(first));
  const put = (change: Partial<SubjectLimits>) => setLimits({ ...limits, ...change });
  const save = useMutation({
    mutationFn: () => {
      const name = key === OTHER ? centre.trim() : key.slice(1);
      const whom = key === 'account' ? {} : key.startsWith('m') ? { user_id: Number(name) } : { cost_centre: name };
      return call(teamApi.setLimits, { params: { id: team.id }, body: { ...whom, limits } });
    },
    onSuccess: () => toast.success(t('saved')),
    onSettled: () => refreshTeams(client),
  });
  const submit = () =>
    save.mutateAsync().then(
      () => true,
      () => false,
    );
  const { caps, reset, time_zone: zone } = limits;
  return (
    <FormDialog
      title={t('setLimits')}
      text={t('limitsText')}
      action={t('save')}
      busy={save.isPending}
      width={600}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('limitsFor')}>
        {(aria) => (
          <Select
            aria={aria}
            searchable={subjects.length > 12}
            value={key}
            options={[
              ...subjects.map(({ key: value, label }) => ({
                value,
                label: value.startsWith('c') ? t('centreNamed', { name: label }) : label,
              })),
              { value: OTHER, label: t('otherCentre') },
            ]}
            onChange={(next) => {
              setKey(next);
              setLimits(limitsAt(next));
            }}
          />
        )}
      </Field>
      {key === OTHER && (
        <Field label={t('costCentre')}>
          {(aria) => (
            <input
              {...aria}
              className="box"
              maxLength={50}
              autoComplete="off"
              value={centre}
              onChange={({ target: { value } }) => setCentre(value)}
            />
          )}
        </Field>
      )}
      <CapsEditor
        caps={caps}
        isOffered={isSubjectCap}
        onChange={(next) => put({ caps: next.filter((cap): cap is SubjectCap & TokenCap => isSubjectCap(cap)) })}
        onBlur={() => {}}
      />
      {caps.length > 0 && (
        <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <Field label={t('token:resetRule')}>
            {(aria) => (
              <Select
                aria={aria}
                // Whole periods after a moment are only set by programs, and kept.
                value={reset === 'anchored' ? 'calendar' : reset}
                options={(['calendar', 'rolling'] as const).map((value) => ({
                  value,
                  label: t(`token:resetRules.${value}`),
                }))}
                onChange={(value) => put({ reset: value })}
              />
            )}
          </Field>
          <Field label={t('token:timeZone')}>
            {(aria) => (
              <Select
                aria={aria}
                searchable
                value={zone}
                options={zoneNames(zone).map((value) => ({ value, label: value }))}
                onChange={(value) => put({ time_zone: value })}
              />
            )}
          </Field>
        </div>
      )}
    </FormDialog>
  );
}
