/** Arguments of `create_export_job` for a daily export of one field. */
export function exportJob(name: string, fieldName: string) {
  return { name, format: 'CSV', frequency: { value: 'daily' }, fields: [{ fieldName }], deviceLabel: 'all' };
}
