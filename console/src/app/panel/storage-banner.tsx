import { isAdmin } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BellRing, HardDrive, ShieldAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { openIncidents } from '../open-incidents.ts';

/** Shows administrators that calls cannot be recorded, else that they owe two-step verification, else a grave incident. */
export function StorageBanner() {
  const { t } = useTranslation();
  const self = useSelf().data;
  const state = self?.storage ?? 'ok';
  if (state === 'ok' && self?.owes_two_step)
    return (
      <Strip icon={ShieldAlert} text={t('storage.twoStepText')}>
        <Link to="/panel/profile" className="min-w-0 font-title break-words underline">
          {t('storage.twoStep')}
        </Link>
      </Strip>
    );
  if (state === 'ok') return self && isAdmin(self.role) ? <GraveIncident /> : null;
  return (
    <Strip icon={HardDrive} text={t(`storage.${state}Text`)}>
      <Link to="/panel/incident" className="min-w-0 font-title break-words underline">
        {t(`storage.${state}`)}
      </Link>
    </Strip>
  );
}

function GraveIncident() {
  const first = useQuery(openIncidents).data?.critical[0];
  if (!first) return null;
  return (
    <Strip icon={BellRing} text={first.advice}>
      <Link to="/panel/incident" search={{ show: first.id }} className="min-w-0 font-title break-words underline">
        {first.title}
      </Link>
    </Strip>
  );
}

function Strip({ icon, text, children }: { icon: LucideIcon; text: string; children: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex min-h-11 flex-none flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line bg-bad-soft px-6 py-1.5 text-13 text-bad max-sm:px-4"
    >
      <Icon of={icon} />
      {children}
      <span className="min-w-0 break-words">{text}</span>
    </div>
  );
}
