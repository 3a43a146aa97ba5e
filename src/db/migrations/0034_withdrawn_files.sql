-- A file that has not gone to the bank can be taken back: what was in it waits for another one.
alter table sepa_files
  drop constraint sepa_files_status_check,
  add constraint sepa_files_status_check
    check (status in ('ready', 'stored', 'uploading', 'renaming', 'sent', 'unclear', 'withdrawn', 'applied', 'refused'));
