import { redemptionStatus } from '@relay-hub/contract';
import { RecordDrawer } from '#list/record-drawer.tsx';
import type { CreatedCodes } from './created-dialog.tsx';
import { redemptionById } from './redemption-api.ts';
import { RedemptionDetail } from './redemption-detail.tsx';
import { RedemptionForm } from './redemption-form.tsx';

interface Props {
  edit: string;
  onCreated: (created: CreatedCodes) => void;
  onClose: () => void;
}

/** The form that the address names; a redeemed code can only be viewed. */
export function RedemptionDrawer({ edit, onCreated, onClose }: Props) {
  return (
    <RecordDrawer
      edit={edit}
      query={redemptionById}
      create={<RedemptionForm onCreated={onCreated} onClose={onClose} />}
      onClose={onClose}
    >
      {(row) =>
        row.status === redemptionStatus.used ? (
          <RedemptionDetail row={row} onClose={onClose} />
        ) : (
          <RedemptionForm row={row} onClose={onClose} />
        )
      }
    </RecordDrawer>
  );
}
