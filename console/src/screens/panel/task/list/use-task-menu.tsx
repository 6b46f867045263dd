import type { Task } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { Ban, Copy, Download, Expand, ExternalLink, ReceiptText } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { copyText } from '#ui/format/clipboard.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { fileName, fullAddress } from '#screens/panel/task/media/media-address.ts';

interface Options {
  onOpen: (task: Task) => void;
  onCancel: (task: Task) => void;
}

/** Menu of a task's row. */
export function useTaskMenu({ onOpen, onCancel }: Options): (task: Task) => MenuEntries {
  const { t } = useTranslation('task');
  return useCallback(
    (task) => {
      const [file] = task.media;
      return [
        { label: t('large'), icon: Expand, onSelect: () => onOpen(task) },
        { label: t('copyId'), icon: Copy, onSelect: () => void copyText(task.task_id, t('id')) },
        task.prompt !== '' && {
          label: t('copyPrompt'),
          icon: Copy,
          onSelect: () => void copyText(task.prompt, t('prompt')),
        },
        file && 'line',
        file && {
          label: t('download'),
          icon: Download,
          render: (
            <a href={file.url} download={fileName(task, file)}>
              {t('download')}
            </a>
          ),
        },
        file && {
          label: t('copyAddress'),
          icon: Copy,
          onSelect: () => void copyText(fullAddress(file.url), t('address')),
        },
        file && {
          label: t('openTab'),
          icon: ExternalLink,
          render: (
            <a href={file.url} target="_blank" rel="noreferrer">
              {t('openTab')}
            </a>
          ),
        },
        'line',
        task.request_id !== '' && {
          label: t('inLog'),
          icon: ReceiptText,
          render: <Link to="/panel/log" search={{ request_id: task.request_id }} />,
        },
        task.cancellable && { label: t('cancel'), icon: Ban, danger: true, onSelect: () => onCancel(task) },
      ];
    },
    [t, onOpen, onCancel],
  );
}
