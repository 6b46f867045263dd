import type { Team } from '@relay-hub/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAuditTexts } from '#domain/audit/audit-texts.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { Time } from '#ui/format/time.tsx';
import { auditQuery } from './team-api.ts';

const FEW = 8;
const MOST = 100;

/** Who changed what in a team, its keys and balance, newest first. */
export function ChangesCard({ team }: { team: Team }) {
  const { t } = useTranslation('team');
  const { actionOf } = useAuditTexts();
  const [size, setSize] = useState(FEW);
  const { data } = useQuery({ ...auditQuery(team.id, size), placeholderData: keepPreviousData, meta: { quiet: true } });
  if (!data) return null;
  return (
    <Card aria-labelledby="team-changes">
      <CardHead id="team-changes" title={t('changes')} />
      {data.data.length === 0 && <p className="border-t border-line p-4 text-text2">{t('noChanges')}</p>}
      <ul>
        {data.data.map(({ id, created_time: at, actor_name: actor, object_name: object, code, ...entry }) => (
          <li
            key={id}
            className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 border-t border-line px-4 py-1.5"
          >
            <span className="min-w-0 flex-1 truncate">
              {actionOf(entry)}
              {object !== '' && object !== team.name && <span className="text-text2"> · {object}</span>}
            </span>
            {code !== '' && <Chip tone="warn">{t('changeRefused')}</Chip>}
            <span className="text-13 text-text2">
              {actor} · <Time at={at} as="relative" />
            </span>
          </li>
        ))}
      </ul>
      {data.total_count > data.data.length && size < MOST && (
        <div className="border-t border-line p-2 text-center">
          <Button variant="ghost" saves={false} onClick={() => setSize(Math.min(MOST, size + 4 * FEW))}>
            {t('all')}
          </Button>
        </div>
      )}
    </Card>
  );
}
