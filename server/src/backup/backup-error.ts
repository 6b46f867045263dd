/** A backup or a restore is refused or has failed. The message is for an operator. */
export class BackupError extends Error {}
