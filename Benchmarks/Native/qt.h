// The header that Qt's moc reads.
#pragma once
#include <QObject>

class Emitter : public QObject {
    Q_OBJECT
  Q_SIGNALS:
    void posted(const void *info);
};
