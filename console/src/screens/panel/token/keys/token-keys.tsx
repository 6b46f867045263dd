import type { Token } from '@relay-hub/contract';
import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { hasOldKey } from '../token-state.ts';

interface Props {
  token: Token;
  /** Left out: the keys are shown without actions. */
  onRotate?: (() => void) | undefined;
  onRevoke?: (() => void) | undefined;
  /** There are unsaved changes, which an action would discard. */
  locked?: boolean | undefined;
}

/** The present key of a token and the one before, with their last use. */
export function TokenKeys({ token, onRotate, onRevoke, locked }: Props) {
  const { t } = useTranslation('token');
  const { old_key: old } = token;
  const works = hasOldKey(token, useNow(1));
  return (
    <DrawerSection title={t('keysTitle')} text={t('keysText')}>
      <ul className="grid grid-cols-1 gap-3">
        <KeyLine
          name={t('presentKey')}
          masked={token.key}
          state={
            <>
              {t('keySince')} <Time at={token.rotated_time || token.created_time} as="date" />
            </>
          }
          usedAt={token.key_used_time}
          usedIp={token.key_used_ip}
          action={
            onRotate && (
              <Button size="sm" icon={RefreshCw} disabled={locked} onClick={onRotate}>
                {t('rotate')}
              </Button>
            )
          }
        />
        {old && (
          <KeyLine
            name={t('oldKey')}
            masked={old.key}
            state={
              <span className={works ? 'text-warn' : undefined}>
                {t(works ? 'keyEnds' : 'keyEnded')} <Time at={old.valid_until} as="relative" />
              </span>
            }
            usedAt={old.used_time}
            usedIp={old.used_ip}
            action={
              works &&
              onRevoke && (
                <Button size="sm" disabled={locked} onClick={onRevoke}>
                  {t('revoke')}
                </Button>
              )
            }
          />
        )}
      </ul>
    </DrawerSection>
  );
}

interface KeyLineProps {
  name: string;
  masked: string;
  state: ReactNode;
  usedAt: number;
  usedIp: string;
  action: ReactNode;
}

function KeyLine({ name, masked, state, usedAt, usedIp, action }: KeyLineProps) {
  const { t } = useTranslation('token');
  return (
    <li className="flex items-center gap-3 rounded-control border border-line px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-title">{name}</span>
          <span className="font-mono text-13">{masked}</span>
          <span className="text-13 text-text2">{state}</span>
        </p>
        <p className="text-13 text-text2">
          {t('lastUsed')} <Time at={usedAt} as="relative" none={t('neverUsed')} />
          {usedIp !== '' && (
            <>
              {' · '}
              {t('usedFrom')} <span className="font-mono text-12">{usedIp}</span>
            </>
          )}
        </p>
      </div>
      {/* Not the first control to focus in a form. */}
      {action && <span data-aside>{action}</span>}
    </li>
  );
}
