import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { toast } from '#ui/feedback/toast.ts';
import type { LogFilters } from './log-defaults.ts';

interface Props {
  query: LogFilters & { order: string };
  admin: boolean;
  small?: boolean | undefined;
}

export function LogExport({ query, admin, small = false }: Props) {
  const { t } = useTranslation('log');
  const work = useMutation({
    mutationFn: async () => (await import('./export-logs.ts')).exportLogs(query, admin, t),
    meta: { quiet: true },
    // The browser's message for a broken connection is not readable.
    onError: (error) => toast.error((error instanceof ApiError && error.message) || t('exportFailed')),
  });
  const act = { icon: Download, busy: work.isPending, onClick: () => work.mutate() };
  return small ? <IconButton label={t('export')} {...act} /> : <Button {...act}>{t('export')}</Button>;
}
